/**
 * The objects that make up one unfinished object. Each writer first stores a claim with the position at which it starts, then
 * its data. Entries never change, so a writer that was replaced cannot damage what its successor relies on: what it
 * stores after the successor's claim is ignored.
 */
export type Entry = Claim | DataEntry;

export interface Claim {
  kind: 'claim';
  /** Counts up with each takeover. */
  writer: number;
  /** Bytes of earlier writers that this one continues. */
  at: number;
  id: string;
}

export interface DataEntry {
  kind: 'data';
  writer: number;
  /** Position of the first byte. */
  at: number;
  bytes: number;
}

const NAME = /^(?<writer>\d{6})-(?<at>\d{14})-(?:claim-(?<id>[0-9a-f-]{36})|data-(?<bytes>\d{1,14}))$/u;

export function entryName(entry: Entry): string {
  const start = `${String(entry.writer).padStart(6, '0')}-${String(entry.at).padStart(14, '0')}`;
  return entry.kind === 'claim' ? `${start}-claim-${entry.id}` : `${start}-data-${entry.bytes}`;
}

/** Null for other names. */
export function parseEntry(name: string): Entry | null {
  const groups = NAME.exec(name)?.groups;
  if (!groups) return null;
  const position = { writer: Number(groups['writer']), at: Number(groups['at']) };
  const { id, bytes } = groups;
  return id === undefined
    ? { kind: 'data', ...position, bytes: Number(bytes) }
    : { kind: 'claim', ...position, id };
}

export function newestWriter(entries: readonly Entry[]): number {
  return entries.reduce(
    (newest, entry) => (entry.kind === 'claim' ? Math.max(newest, entry.writer) : newest),
    -1,
  );
}

/** The entries with the content, in order and without gaps. Prefers large ones. */
export function contentOf(entries: readonly Entry[]): DataEntry[] {
  const claims = entries.filter((entry) => entry.kind === 'claim');
  const isValid = (data: DataEntry): boolean =>
    claims.every(({ writer, at }) => writer <= data.writer || data.at + data.bytes <= at);
  const data = entries.filter((entry) => entry.kind === 'data').filter(isValid);
  const content: DataEntry[] = [];
  let end = 0;
  for (const entry of data.sort((a, b) => a.at - b.at || b.bytes - a.bytes)) {
    if (entry.at !== end || entry.bytes === 0) continue;
    content.push(entry);
    end += entry.bytes;
  }
  return content;
}
