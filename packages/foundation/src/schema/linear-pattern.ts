import { RE2JS } from 're2js';

/** A customer's regular expression that is matched in linear time. */
export interface LinearPattern {
  test(text: string): boolean;
  /** The original pattern. */
  toString(): string;
}

/**
 * Limit of instructions of a compiled pattern, each of which may run once per character of a text: `.{0,1000}` has
 * about 2000.
 */
const MAX_INSTRUCTIONS = 5000;

/**
 * Throws for invalid and too large patterns, and for look-around and backreferences, which cannot be matched in linear
 * time.
 */
export function compileLinearPattern(pattern: string): LinearPattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  if (compiled.programSize() > MAX_INSTRUCTIONS) throw new Error('it is too large with its repetitions');
  return { test: (text) => compiled.test(text), toString: () => pattern };
}

/** Why a pattern cannot be used; null if it can. */
export function linearPatternIssue(pattern: string): string | null {
  try {
    compileLinearPattern(pattern);
    return null;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return `must be a regular expression without look-around and backreferences: ${reason}`;
  }
}
