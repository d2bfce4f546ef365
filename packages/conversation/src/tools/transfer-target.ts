export const NO_TARGET =
  'target must be a phone number like +15550100 or a SIP URI like sip:desk@example.com';

/** Limit of the `ended` call log entry. */
const MAX_CHARS = 256;
/** Separators in written phone numbers. */
const SEPARATORS = /[\s().-]/gu;
/** E.164 with an optional +, or a short code. */
const PHONE_NUMBER = /^\+?[1-9]\d{2,14}$/u;
/** User, host, port and parameters; no headers. */
const SIP_URI =
  /^sips?:(?:[\w.!~*'()%&=+$,;?/:-]+@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:;[\w.!~*'()%+$=:[\]/-]+)*$/iu;

/** Normalizes a transfer target: a phone number or a SIP URI. Null if it is neither. */
export function transferTarget(text: string): string | null {
  const given = text.trim();
  if (given.length > MAX_CHARS) return null;
  if (SIP_URI.test(given)) return given;
  const number = given.replace(SEPARATORS, '');
  return PHONE_NUMBER.test(number) ? number : null;
}

/**
 * Whether a normalized target matches one of the patterns, in which one * matches any characters. Not case-sensitive.
 * `sip:*@example.com` matches no other host: a target has one @ at most.
 */
export function isAllowedTarget(target: string, patterns: readonly string[]): boolean {
  const given = target.toLowerCase();
  return patterns.some((pattern) => {
    const [start = '', end] = pattern.toLowerCase().split('*');
    if (end === undefined) return given === start;
    return given.length >= start.length + end.length && given.startsWith(start) && given.endsWith(end);
  });
}
