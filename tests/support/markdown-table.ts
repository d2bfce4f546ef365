type Cells = readonly (string | number)[];

/** A Markdown table. `textColumns`: how many columns, from the left, are not aligned right; default: all. */
export function markdownTable(
  head: readonly string[],
  rows: readonly Cells[],
  textColumns = head.length,
): string {
  const alignment = head.map((_, column) => (column < textColumns ? '---' : '---:'));
  return [head, alignment, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
