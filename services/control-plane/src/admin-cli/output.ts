/** A list as a table of these columns, anything else as lines of fields. */
export function printed(result: unknown, columns: readonly string[] = []): string {
  if (!Array.isArray(result)) return aligned(Object.entries(result as Record<string, unknown>));
  const rows = result as Record<string, unknown>[];
  return aligned([columns, ...rows.map((row) => columns.map((name) => row[name]))]);
}

/** Rows with columns of equal width. */
function aligned(rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) => row.map(cell));
  const widthOf = (column: number): number => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  const widths = (cells[0] ?? []).map((_, column) => widthOf(column));
  const line = (row: string[]): string =>
    row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ');
  return cells.map((row) => line(row).trimEnd()).join('\n');
}

/** Control characters could change what a terminal shows. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/\p{Cc}/gu, '\ufffd');
}
