/** Where templates may have variables: `*` is any key or index, `**` any depth of JSON. */
const TEMPLATED_PATHS = [
  'systemPrompt',
  'languageHint',
  'timeExceededMessage',
  'inactivityMessages.*.message',
  'selectedTools.*.descriptionOverride',
  'selectedTools.*.temporaryTool.description',
  'selectedTools.*.temporaryTool.staticParameters.*.value.**',
  'selectedTools.*.parameterOverrides.*.**',
  'selectedTools.*.authTokens.*',
].map((path) => path.split('.'));

type Pattern = readonly string[];

/**
 * A copy of a call template with every text that may have variables replaced by what `map` makes of it; `path` is dotted.
 * Takes anything; what isn't a text stays as it is.
 */
export function mapTemplatedTexts<T>(template: T, map: (text: string, path: string) => string): T {
  const visit = (value: unknown, patterns: readonly Pattern[], path: string): unknown => {
    if (typeof value === 'string') return patterns.some(isAtEnd) ? map(value, path) : value;
    if (typeof value !== 'object' || value === null || patterns.length === 0) return value;
    const child = (key: string, item: unknown): unknown =>
      visit(item, under(patterns, key), path === '' ? key : `${path}.${key}`);
    if (Array.isArray(value)) return value.map((item: unknown, index) => child(String(index), item));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, child(key, item)]));
  };
  return visit(template, TEMPLATED_PATHS, '') as T;
}

function isAtEnd([head]: Pattern): boolean {
  return head === undefined || head === '**';
}

function under(patterns: readonly Pattern[], key: string): Pattern[] {
  return patterns.flatMap((pattern) => {
    const [head, ...rest] = pattern;
    if (head === '**') return [pattern];
    return head === '*' || head === key ? [rest] : [];
  });
}
