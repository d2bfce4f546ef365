/**
 * Word errors (substitutions, deletions, insertions) per expected word, ignoring case and punctuation: 0 is
 * exact; insertions can make it exceed 1.
 */
export function wordErrorRate(expected: string, actual: string): number {
  const wanted = wordsOf(expected);
  const got = wordsOf(actual);
  if (wanted.length === 0) return got.length === 0 ? 0 : 1;
  // One row of the edit-distance table.
  let row = Array.from({ length: got.length + 1 }, (_, i) => i);
  wanted.forEach((word, i) => {
    const next = [i + 1];
    got.forEach((other, j) => {
      const substituted = (row[j] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    });
    row = next;
  });
  return (row.at(-1) ?? 0) / wanted.length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}
