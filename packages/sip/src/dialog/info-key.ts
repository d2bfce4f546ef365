import { headerOf } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';

/** Types of an INFO body that report a key. */
export const KEY_TYPES = ['application/dtmf-relay', 'application/dtmf'];

/** Codes of keys other than characters (RFC 4733). */
const CODES: Readonly<Record<string, string>> = {
  ...{ 10: '*', 11: '#' },
  ...{ 12: 'A', 13: 'B', 14: 'C', 15: 'D' },
};

/** Whether the body of an INFO has a supported type, or there is none. */
export function hasKnownType(info: SipRequest): boolean {
  const type = headerOf(info, 'Content-Type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  return info.body === '' || KEY_TYPES.includes(type);
}

/** The key that an INFO reports. Null without a body or with one that cannot be parsed. */
export function keyOf(info: SipRequest): string | null {
  const text =
    /^\s*(?:Signal\s*=\s*)?(?<key>[\d*#A-D]{1,2})\s*(?:[\r\n;]|$)/iu.exec(info.body)?.groups?.['key'] ?? '';
  const key = CODES[text] ?? text.toUpperCase();
  return key.length === 1 ? key : null;
}
