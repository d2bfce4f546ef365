import { headerOf, type SipHeaders } from './headers.ts';
import { readParameters, splitOutside } from './separated.ts';

export interface SipRequest {
  kind: 'request';
  method: string;
  uri: string;
  headers: SipHeaders;
  body: string;
}

export interface SipResponse {
  kind: 'response';
  status: number;
  reason: string;
  headers: SipHeaders;
  body: string;
}

export type SipMessage = SipRequest | SipResponse;

/** Maximum length of a message over any transport. */
export const MAX_MESSAGE_BYTES = 65_536;

const LINE_BREAKS = /[\r\n\0]+/gu;

/** Content-Length is computed from the body. */
export function writeMessage(message: SipMessage): string {
  const start =
    message.kind === 'request'
      ? `${message.method} ${message.uri} SIP/2.0`
      : `SIP/2.0 ${message.status} ${message.reason}`;
  const lines = message.headers
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    .map(([name, value]) => `${name}: ${value}`);
  lines.unshift(start);
  lines.push(`Content-Length: ${Buffer.byteLength(message.body)}`);
  const head = lines.map((line) => line.replaceAll(LINE_BREAKS, ' ')).join('\r\n');
  return `${head}\r\n\r\n${message.body}`;
}

/** The session description of a message, which may be a part of its body (RFC 5621); null if absent. */
export function sdpOf(message: SipMessage): string | null {
  if (message.body === '') return null;
  const [type = '', ...parameters] = splitOutside(headerOf(message, 'Content-Type') ?? '', ';');
  if (type.toLowerCase() === 'application/sdp') return message.body;
  const boundary = readParameters(parameters).get('boundary') ?? '';
  return /^multipart\//iu.test(type) && boundary !== '' ? sdpPart(message.body, boundary) : null;
}

const SDP_TYPE = /^content-type[ \t]*:[ \t]*application\/sdp[ \t]*(?:;|$)/imu;

/** The first part with a session description. Text before the first boundary and after the last one is ignored. */
function sdpPart(body: string, boundary: string): string | null {
  const parts = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1);
  for (const part of parts) {
    const headEnd = part.indexOf('\r\n\r\n');
    if (part.startsWith('--') || headEnd === -1) return null;
    if (SDP_TYPE.test(part.slice(0, headEnd))) return `${part.slice(headEnd + 4)}\r\n`;
  }
  return null;
}
