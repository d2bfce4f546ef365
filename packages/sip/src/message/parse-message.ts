import { headerName, headerOf, headersOf } from './headers.ts';
import { MAX_MESSAGE_BYTES, type SipMessage, type SipRequest } from './message.ts';

const MAX_HEAD_BYTES = 16_384;
/** The first line and 200 header fields. */
const MAX_LINES = 201;
const MAX_LINE_LENGTH = 8192;
const REQUEST_LINE = /^(?<method>[\w.!%*+`'~-]{1,64}) (?<uri>[a-z][a-z\d+.-]*:\S{1,2048}) SIP\/2\.0$/iu;
/** Also matches other versions and any white space. */
const ANY_REQUEST_LINE = /^(?<method>\S{1,64})\s.{0,4096}\sSIP\/(?<version>\d+\.\d+)\s*$/iu;
const STATUS_LINE = /^SIP\/2\.0 (?<status>[1-6]\d\d)(?: (?<reason>.*))?$/iu;
const HEADER_LINE = /^(?<name>[\w.!%*+`'~-]{1,128})[ \t]*:(?<value>.*)$/su;

/** Null if malformed; never throws. Ignores bytes after Content-Length. */
export function parseMessage(bytes: Uint8Array): SipMessage | null {
  if (bytes.length > MAX_MESSAGE_BYTES) return null;
  const { lines, isTooLarge, rest } = split(bytes);
  const first = lines.shift();
  if (first === undefined || isTooLarge) return null;
  const headers: [string, string][] = [];
  for (const line of lines) {
    const groups = HEADER_LINE.exec(line)?.groups;
    if (!groups?.['name']) return null;
    headers.push([headerName(groups['name']), (groups['value'] ?? '').trim()]);
  }
  if (headersOf({ headers }, 'Content-Length').length > 1) return null;
  const body = bodyOf(rest, headerOf({ headers }, 'Content-Length'));
  if (body === null) return null;
  const status = STATUS_LINE.exec(first)?.groups;
  if (status?.['status']) {
    const reason = (status['reason'] ?? '').trim();
    return { kind: 'response', status: Number(status['status']), reason, headers, body };
  }
  const request = REQUEST_LINE.exec(first)?.groups;
  if (!request?.['method'] || !request['uri']) return null;
  return { kind: 'request', method: request['method'], uri: request['uri'], headers, body };
}

export interface MalformedRequest {
  /** The first of each header field that a response copies, and all of Via. */
  request: SipRequest;
  status: 400 | 505 | 513;
  reason: string;
}

/** Header fields that occur once in a message. */
const SINGLE = new Set(['From', 'To', 'Call-ID', 'CSeq']);

/** What can be read of a request that `parseMessage` or its envelope rejects. Null if it is not a request. */
export function readMalformed(bytes: Uint8Array): MalformedRequest | null {
  const { lines, isTooLarge } = split(bytes);
  const [first = '', ...fields] = lines;
  const groups = ANY_REQUEST_LINE.exec(first)?.groups;
  if (!groups?.['method']) return null;
  const headers: [string, string][] = [];
  for (const line of fields) {
    const header = HEADER_LINE.exec(line)?.groups;
    const name = headerName(header?.['name'] ?? '');
    const isWanted = name === 'Via' || (SINGLE.has(name) && headerOf({ headers }, name) === null);
    if (isWanted) headers.push([name, (header?.['value'] ?? '').trim()]);
  }
  const request: SipRequest = { kind: 'request', method: groups['method'], uri: '', headers, body: '' };
  if (groups['version'] !== '2.0') return { request, status: 505, reason: 'Version Not Supported' };
  return isTooLarge
    ? { request, status: 513, reason: 'Message Too Large' }
    : { request, status: 400, reason: 'Bad Request' };
}

/** The lines of the head, without those beyond its limits, and the bytes after it. */
function split(bytes: Uint8Array): { lines: string[]; isTooLarge: boolean; rest: Buffer } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = headEnd(buffer);
  const all = unfolded(buffer.toString('utf8', 0, Math.min(head.end, MAX_HEAD_BYTES)));
  const lines = all.slice(0, MAX_LINES).filter((line) => line.length <= MAX_LINE_LENGTH);
  const isTooLarge = head.end > MAX_HEAD_BYTES || lines.length < all.length;
  return { lines, isTooLarge, rest: buffer.subarray(head.bodyStart) };
}

/** Start and end of the empty line. Bare line feeds are accepted. */
function headEnd(buffer: Buffer): { end: number; bodyStart: number } {
  const start = buffer.findIndex((byte) => byte !== 13 && byte !== 10);
  const from = Math.max(0, start);
  const proper = buffer.indexOf('\r\n\r\n', from);
  const bare = buffer.indexOf('\n\n', from);
  if (proper !== -1 && (bare === -1 || proper < bare)) return { end: proper, bodyStart: proper + 4 };
  if (bare !== -1) return { end: bare, bodyStart: bare + 2 };
  return { end: buffer.length, bodyStart: buffer.length };
}

/** The lines that are not empty, with folded lines joined; at most one more than may be. */
function unfolded(head: string): string[] {
  const joined = head.replace(/^[\r\n]+/u, '').replaceAll(/\r?\n[ \t]+/gu, ' ');
  return joined.split(/(?:\r?\n)+/u, MAX_LINES + 1).filter((line) => line !== '');
}

function bodyOf(rest: Buffer, contentLength: string | null): string | null {
  if (contentLength === null) return rest.toString('utf8');
  if (!/^\d{1,6}$/u.test(contentLength)) return null;
  const length = Number(contentLength);
  return length > rest.length ? null : rest.toString('utf8', 0, length);
}
