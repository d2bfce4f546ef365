/** As the `ended` event has room for. */
const MAX_CHARS = 256;
/** How people write numbers, and models. */
const SEPARATORS = /[\s().-]/gu;
/** E.164, the + being optional, or a short code. */
const PHONE_NUMBER = /^\+?[1-9]\d{2,14}$/u;
/** User, host, port and parameters; no headers. */
const SIP_URI =
  /^sips?:(?:[\w.!~*'()%&=+$,;?/:-]+@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:;[\w.!~*'()%+$=:[\]/-]+)*$/iu;

/** Whom a phone call can be connected with, in the provider's form: a phone number or a SIP URI. Null for all else. */
export function transferTarget(text: string): string | null {
  const given = text.trim();
  if (given.length > MAX_CHARS) return null;
  if (SIP_URI.test(given)) return given;
  const number = given.replace(SEPARATORS, '');
  return PHONE_NUMBER.test(number) ? number : null;
}
