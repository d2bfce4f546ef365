import { headerOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';

/** Types of an INFO body that report a key. */
const KEY_TYPES = ['application/dtmf-relay', 'application/dtmf'];

type Respond = (status: number, reason: string, headers?: SipHeaders) => void;

/** Codes of keys other than characters (RFC 4733). */
const CODES: Readonly<Record<string, string>> = {
  ...{ 10: '*', 11: '#' },
  ...{ 12: 'A', 13: 'B', 14: 'C', 15: 'D' },
};

/** Accepts an INFO without a body or with a key, which is reported. */
export function respondToInfo(info: SipRequest, respond: Respond, onKey: (key: string) => void): void {
  const type = headerOf(info, 'Content-Type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (info.body !== '' && !KEY_TYPES.includes(type)) {
    respond(415, 'Unsupported Media Type', [['Accept', KEY_TYPES.join(', ')]]);
    return;
  }
  respond(200, 'OK');
  const key = keyIn(info.body);
  if (key !== null) onKey(key);
}

/** Null if the body is empty or malformed. */
function keyIn(body: string): string | null {
  const groups = /^\s*(?:Signal\s*=\s*)?(?<key>[\d*#A-D]{1,2})\s*(?:[\r\n;]|$)/iu.exec(body)?.groups;
  const text = groups?.['key'] ?? '';
  const key = CODES[text] ?? text.toUpperCase();
  return key.length === 1 ? key : null;
}
