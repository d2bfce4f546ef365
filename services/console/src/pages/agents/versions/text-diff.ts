import { diffArrays, diffWordsWithSpace } from 'diff';

/** A piece of a line; `isMarked`: it is what differs from the line's counterpart. */
export interface LinePart {
  readonly text: string;
  readonly isMarked: boolean;
}
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly parts: readonly LinePart[];
}
/** Lines that are the same in both and are left out. */
export interface DiffGap {
  readonly kind: 'gap';
  readonly lines: number;
}

/** Of unchanged lines, shown around a change. */
const CONTEXT_LINES = 3;
/** Texts that differ more are shown as removed and added in full: a finer diff could block the page. */
const MAX_LINE_EDITS = 2000;
const MAX_WORD_EDITS = 400;
/** Of the characters of two lines: with less in common, marks would only confuse. */
const MIN_SHARED = 0.4;

/** What becomes of a text, line by line; in lines that were changed the words that differ are marked. */
export function textDiff(before: string, after: string): readonly (DiffLine | DiffGap)[] {
  const [was, is] = [before.split('\n'), after.split('\n')];
  const runs = diffArrays(was, is, { maxEditLength: MAX_LINE_EDITS }) ?? [
    { value: was, removed: true, added: false },
    { value: is, removed: false, added: true },
  ];
  return runs.flatMap((run, index): (DiffLine | DiffGap)[] => {
    if (!run.added && !run.removed) {
      return withGap(run.value, { isFirst: index === 0, isLast: index === runs.length - 1 });
    }
    const counterpart = run.removed ? runs[index + 1] : runs[index - 1];
    const isPaired = (run.removed ? counterpart?.added : counterpart?.removed) ?? false;
    const others = isPaired ? (counterpart?.value ?? []) : [];
    return run.value.map((line, at): DiffLine => {
      const other = others[at];
      const kind = run.removed ? 'removed' : 'added';
      if (other === undefined) return plain(kind, line);
      return { kind, parts: run.removed ? markedParts(line, other).removed : markedParts(other, line).added };
    });
  });
}

function plain(kind: DiffLine['kind'], text: string): DiffLine {
  return { kind, parts: [{ text, isMarked: false }] };
}

/** The lines next to changes; of what lies between, how many they are. */
function withGap(
  lines: readonly string[],
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): (DiffLine | DiffGap)[] {
  const head = isFirst ? 0 : CONTEXT_LINES;
  const tail = isLast ? 0 : CONTEXT_LINES;
  const hidden = lines.length - head - tail;
  const same = lines.map((line) => plain('same', line));
  // A single line takes no more room than to say that it is left out.
  if (hidden <= 1) return same;
  return [...same.slice(0, head), { kind: 'gap', lines: hidden }, ...same.slice(lines.length - tail)];
}

function markedParts(before: string, after: string): { removed: LinePart[]; added: LinePart[] } {
  const words = diffWordsWithSpace(before, after, { maxEditLength: MAX_WORD_EDITS }) ?? [];
  const shared = words.reduce(
    (length, { value, added, removed }) => (added || removed ? length : length + value.length),
    0,
  );
  if (shared < MIN_SHARED * Math.max(before.length, after.length)) {
    return { removed: [{ text: before, isMarked: false }], added: [{ text: after, isMarked: false }] };
  }
  const side = (leftOut: 'added' | 'removed'): LinePart[] =>
    words
      .filter((word) => !word[leftOut])
      .map(({ value, added, removed }) => ({ text: value, isMarked: added || removed }));
  return { removed: side('added'), added: side('removed') };
}
