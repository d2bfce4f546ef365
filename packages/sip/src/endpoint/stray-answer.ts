import { createHash } from 'node:crypto';
import { ALLOW, ALLOWED_METHODS, responseTo, SUPPORTED, SUPPORTED_OPTIONS } from '../message/build.ts';
import { headerOf, listOf, type SipHeaders } from '../message/headers.ts';
import { writeMessage, type SipResponse } from '../message/message.ts';
import type { ReceivedRequest } from '../message/received.ts';

const KNOWN_METHODS = new Set([
  ...ALLOWED_METHODS,
  'REGISTER',
  'SUBSCRIBE',
  'PUBLISH',
  'MESSAGE',
  'INFO',
  'REFER',
  'PRACK',
]);
/** Short, because a response over UDP must not be longer than its request. */
const TAG_LENGTH = 8;
const ACCEPT: SipHeaders = [['Accept', 'application/sdp']];

/** Required headers of a response (RFC 3261, 8.2.6). */
const ESSENTIAL = new Set(['Via', 'From', 'To', 'Call-ID', 'CSeq']);

/**
 * Shortens a response over UDP so that it is no longer than the request, because the source may be forged. Null if it
 * is still too long.
 */
export function unamplified(answer: SipResponse, { source, sizeBytes }: ReceivedRequest): string | null {
  const whole = writeMessage(answer);
  if (source.transport === 'tcp' || Buffer.byteLength(whole) <= sizeBytes) return whole;
  const headers = answer.headers.filter(([name]) => ESSENTIAL.has(name));
  const least = writeMessage({ ...answer, reason: '', headers });
  return Buffer.byteLength(least) <= sizeBytes ? least : null;
}

/** A stateless response: identical for each repetition of the request (RFC 3261, 8.2.7). */
export function stateless(
  received: ReceivedRequest,
  status: number,
  reason: string,
  headers: SipHeaders = [],
): SipResponse {
  const { callId, branch, fromTag } = received.envelope;
  const toTag = createHash('sha256')
    .update(`${callId} ${branch} ${fromTag}`)
    .digest('base64url')
    .slice(0, TAG_LENGTH);
  return responseTo(received.message, status, reason, { toTag, headers });
}

/** 503, because there is no room for the request. */
export function unavailable(received: ReceivedRequest): SipResponse {
  return stateless(received, 503, 'Service Unavailable', [['Retry-After', '5']]);
}

/** A response that rejects a malformed or unsupported INVITE before admission; null if it is acceptable. */
export function inviteFault(
  received: ReceivedRequest,
  isFull: boolean,
  isMerged: boolean,
): SipResponse | null {
  const { message } = received;
  const type = headerOf(message, 'Content-Type')?.split(';')[0]?.trim().toLowerCase();
  const encoding = headerOf(message, 'Content-Encoding')?.trim().toLowerCase();
  const unknown = unknownOptions(received);
  if (!/^(?:sip|tel):/iu.test(message.uri)) return stateless(received, 416, 'Unsupported URI Scheme');
  if (isMerged) return stateless(received, 482, 'Loop Detected');
  if (unknown.length > 0) {
    return stateless(received, 420, 'Bad Extension', [['Unsupported', unknown.join(', ')]]);
  }
  const isReadable = message.body === '' || type === 'application/sdp';
  if (!isReadable || (encoding !== undefined && encoding !== 'identity')) {
    return stateless(received, 415, 'Unsupported Media Type', ACCEPT);
  }
  return isFull ? unavailable(received) : null;
}

/** The response to any other request outside of dialogs. */
export function strayAnswer(received: ReceivedRequest): SipResponse {
  const { method } = received.message;
  if (received.envelope.toTag !== null || ['BYE', 'CANCEL', 'UPDATE', 'NOTIFY'].includes(method)) {
    return stateless(received, 481, 'Call/Transaction Does Not Exist');
  }
  if (method === 'OPTIONS') return stateless(received, 200, 'OK', [...ALLOW, ...ACCEPT, ...SUPPORTED]);
  return KNOWN_METHODS.has(method)
    ? stateless(received, 405, 'Method Not Allowed', ALLOW)
    : stateless(received, 501, 'Not Implemented', ALLOW);
}

/** Unknown option tags in Require. */
export function unknownOptions({ message }: ReceivedRequest): string[] {
  return listOf(message, 'Require').filter((option) => !SUPPORTED_OPTIONS.includes(option.toLowerCase()));
}
