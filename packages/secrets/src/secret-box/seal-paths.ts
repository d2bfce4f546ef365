/**
 * Dotted paths into JSON; `*` stands for any key or index: `sharedSecrets.*`, `selectedTools.*.authTokens.*`. `**` at the end
 * stands for everything below.
 */
export type PathPatterns = readonly string[];

/** A copy with the strings at these paths sealed, each once; everything else unchanged. */
export function sealPaths<T>(value: T, paths: PathPatterns, seal: (plain: string) => string): T {
  return mapStringsAt(value, paths, seal) as T;
}

/** The inverse of `sealPaths` with the same paths. */
export function openPaths<T>(value: T, paths: PathPatterns, open: (sealed: string) => string): T {
  return mapStringsAt(value, paths, open) as T;
}

type Segments = readonly string[];

function isReached(pattern: Segments): boolean {
  return pattern.length === 0 || pattern[0] === '**';
}

function mapStringsAt(value: unknown, paths: PathPatterns, map: (text: string) => string): unknown {
  const visit = (at: unknown, patterns: readonly Segments[]): unknown => {
    if (patterns.length === 0) return at;
    if (typeof at === 'string') return patterns.some(isReached) ? map(at) : at;
    if (typeof at !== 'object' || at === null) return at;
    const under = (key: string, item: unknown): unknown =>
      visit(
        item,
        patterns
          .filter(([head]) => head === '**' || head === '*' || head === key)
          .map((pattern) => (pattern[0] === '**' ? pattern : pattern.slice(1))),
      );
    if (Array.isArray(at)) return at.map((item: unknown, index) => under(String(index), item));
    return Object.fromEntries(Object.entries(at).map(([key, item]) => [key, under(key, item)]));
  };
  return visit(
    value,
    paths.map((path) => path.split('.')),
  );
}
