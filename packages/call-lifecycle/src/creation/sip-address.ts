const HOST = String.raw`(?<host>\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?`;
/** `user@host`, as a `sip:` URI or bare, in angle brackets behind a name, with a port and parameters. */
const ADDRESS = new RegExp(
  String.raw`^(?:(?:"[^"\x00-\x1f]*" *|[^"<>@:\x00-\x1f]*)<)?(?:sip:(?:[^@\s<>"]+@)?|[^@:\s<>"]+@)${HOST}(?:;[^;?\s<>"]*)*>?$`,
  'iu',
);
const TEL = /^tel:\+?[\d().*#-]+$/iu;
const USER = /^[\w+.*#%-]+$/u;

/** A SIP address that says where it is. */
export function isSipHost(text: string): boolean {
  return ADDRESS.test(text) && text.includes('<') === text.endsWith('>');
}

export function isTelUri(text: string): boolean {
  return TEL.test(text);
}

/** The user of an address alone, such as a phone number. */
export function isSipUser(text: string): boolean {
  return USER.test(text);
}

/** With the host of whom is called where `from` has none: at most trunks, numbers are theirs. */
export function fromAddress(from: string, to: string): string {
  const host = ADDRESS.exec(to)?.groups?.['host'];
  return isSipUser(from) && host !== undefined ? `sip:${from}@${host}` : from;
}
