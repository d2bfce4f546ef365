/** Maximum length of a row of marks that is buffered. */
const MAX_ROW_CHARS = 300;

const SPACE = /\s/u;
const WORD = /[\p{L}\p{N}]/u;
const DIGIT = /[0-9]/u;
const LINE_OF_MARKS = /^[-*_=:|+\s]*$/u;
const BULLET = /^(?:>|[-*+•‣◦▪–—]\s)$/u;
const ORDINAL = /^\d{1,3}[.)]\s$/u;
const HEADING = /^#{1,6}\s$/u;
const FENCE = /^(?:```|~~~)$/u;
/** May become one of the above. */
const UNDECIDED = /^(?:#{1,6}|[•‣◦▪–—]|\d{1,3}[.)]?|`{1,2}|~{1,2})$/u;

export type LineStart = 'undecided' | 'bullet' | 'ordinal' | 'heading' | 'fence' | 'row' | 'text';

/** Classifies a line by its beginning `held`, without leading white space. */
export function lineStartOf(held: string): LineStart {
  if (BULLET.test(held)) return 'bullet';
  if (FENCE.test(held)) return 'fence';
  if (HEADING.test(held)) return 'heading';
  if (ORDINAL.test(held)) return 'ordinal';
  if (UNDECIDED.test(held)) return 'undecided';
  if (isLineOfMarks(held) && held.length < MAX_ROW_CHARS) return 'undecided';
  return held.startsWith('|') ? 'row' : 'text';
}

/** A thematic break, a table border, a heading underline, or an empty line. */
export function isLineOfMarks(line: string): boolean {
  return LINE_OF_MARKS.test(line);
}

export function opensOrClosesFence(held: string): boolean {
  return FENCE.test(held);
}

/** The spoken form of a row of `*`, `_` or `~` between two characters; '' for emphasis. */
export function spokenOfRow(row: string, before: string, next: string, inAddress: boolean): string {
  const [mark] = row;
  if (mark === '*') {
    const times = (before === ' ' && next === ' ') || (DIGIT.test(before) && DIGIT.test(next));
    return row.length === 1 && times ? '×' : '';
  }
  if (inAddress) return SPACE.test(next) ? '' : row;
  if (mark === '~') return row.length === 1 && (WORD.test(next) || before === '/') ? row : '';
  return WORD.test(before) && WORD.test(next) ? row : '';
}
