import { RE2JS } from 're2js';

/** A regular expression of a customer's, matched in linear time. */
export interface LinearPattern {
  test(text: string): boolean;
  /** The pattern as it was given. */
  toString(): string;
}

/** Instructions of a compiled pattern, each of which may run once for each character of a text: `.{0,1000}` has some 2000. */
const MAX_INSTRUCTIONS = 5000;

/** Throws for what isn't a regular expression, for what is too large, and for look-around and backreferences, which no linear time allows. */
export function compileLinearPattern(pattern: string): LinearPattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  if (compiled.programSize() > MAX_INSTRUCTIONS) throw new Error('it is too large with its repetitions');
  return { test: (text) => compiled.test(text), toString: () => pattern };
}

/** What keeps a pattern from being used, or null. */
export function linearPatternFault(pattern: string): string | null {
  try {
    compileLinearPattern(pattern);
    return null;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return `must be a regular expression without look-around and backreferences: ${why}`;
  }
}
