import { diffArrays, diffWordsWithSpace } from 'diff';

/** A part of a line; `isMarked` if it differs from the counterpart of the line. */
export interface LinePart {
  readonly text: string;
  readonly isMarked: boolean;
}
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly parts: readonly LinePart[];
}
/** Unchanged lines that are not shown. */
export interface DiffGap {
  readonly kind: 'gap';
  readonly lines: number;
}

/** Number of unchanged lines shown around a change. */
const CONTEXT_LINES = 3;
/**
 * Texts with more differences are shown as removed and added as a whole, because a detailed comparison could block the
 * page.
 */
const MAX_LINE_EDITS = 2000;
const MAX_WORD_EDITS = 400;
/** Minimum share of common characters for marking differences within a line. */
const MIN_SHARED = 0.4;

/** Compares two texts line by line and marks changed words in changed lines. */
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

/** Replaces unchanged lines that are not near a change by their count. */
function withGap(
  lines: readonly string[],
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): (DiffLine | DiffGap)[] {
  const head = isFirst ? 0 : CONTEXT_LINES;
  const tail = isLast ? 0 : CONTEXT_LINES;
  const hidden = lines.length - head - tail;
  const same = lines.map((line) => plain('same', line));
  // A single line takes as much space as the note about a hidden one.
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
