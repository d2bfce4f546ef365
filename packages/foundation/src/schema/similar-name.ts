/** Longer names are not compared. */
const MAX_LENGTH = 64;

/**
 * The name that was probably meant: the one with the fewest insertions, deletions, substitutions and swaps; null if
 * none is similar.
 */
export function similarName(given: string, names: readonly string[]): string | null {
  if (given.length > MAX_LENGTH) return null;
  const wanted = plain(given);
  let nearest: string | null = null;
  let fewest = Math.floor(wanted.length / 3) + 1;
  for (const name of names) {
    const candidate = plain(name);
    if (Math.abs(candidate.length - wanted.length) >= fewest) continue;
    const edits = editsBetween(wanted, candidate);
    if (edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_\- ]/gu, '');
}

/** Optimal string alignment distance. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1);
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
