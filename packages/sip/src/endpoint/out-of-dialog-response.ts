import { createHash } from 'node:crypto';
import { isReliable } from '../calls.ts';
import type { Dialogs } from '../dialog/dialogs.ts';
import { replacedDialog } from '../dialog/replaces.ts';
import { isSessionTooShort, MIN_SE } from '../dialog/session-timer.ts';
import { ALLOW, ALLOWED_METHODS, responseTo, SUPPORTED, SUPPORTED_OPTIONS } from '../message/build.ts';
import { headerOf, headersOf, listOf, type SipHeaders } from '../message/headers.ts';
import { sdpOf, writeMessage, type SipResponse } from '../message/message.ts';
import type { MalformedRequest } from '../message/parse-message.ts';
import type { ReceivedRequest } from '../message/received.ts';
import { isSipsUri } from '../message/uri.ts';

const KNOWN_METHODS = new Set([...ALLOWED_METHODS, 'REGISTER', 'SUBSCRIBE', 'PUBLISH', 'MESSAGE']);
/** Short, because a response over UDP must not be longer than its request. */
const TAG_LENGTH = 8;
const SDP_RANGES = new Set(['application/sdp', 'application/*', '*/*']);
/** RFC 4475, 3.1.2.1. */
const EMPTY_PARAMETER = />\s*(?:;[^;,"]*)*;\s*(?:;|$)/u;
const ACCEPT: SipHeaders = [['Accept', 'application/sdp']];

/** Required headers of a response (RFC 3261, 8.2.6). */
const ESSENTIAL = new Set(['Via', 'From', 'To', 'Call-ID', 'CSeq']);

const CHALLENGE = 'WWW-Authenticate';

/**
 * Shortens a response over UDP so that it is no longer than the request, because the source may be forged. Null if it
 * is still too long.
 */
export function unamplified(
  response: SipResponse,
  { source, sizeBytes }: Pick<ReceivedRequest, 'source' | 'sizeBytes'>,
): string | null {
  const whole = writeMessage(response);
  if (isReliable(source) || Buffer.byteLength(whole) <= sizeBytes) return whole;
  const essential = response.headers.filter(([name]) => ESSENTIAL.has(name));
  const challenges = response.headers.filter(([name]) => name === CHALLENGE);
  // A 401 needs a challenge. The last one is MD5, which every peer supports.
  const shorter = response.status === 401 ? [challenges, challenges.slice(-1)] : [[]];
  for (const chosen of shorter) {
    const text = writeMessage({ ...response, reason: '', headers: [...essential, ...chosen] });
    if (Buffer.byteLength(text) <= sizeBytes) return text;
  }
  return null;
}

/** A stateless response: identical for each repetition of the request (RFC 3261, 8.2.7). */
export function stateless(
  received: ReceivedRequest,
  status: number,
  reason: string,
  headers: SipHeaders = [],
): SipResponse {
  const { callId, branch, fromTag } = received.envelope;
  const toTag = tagFrom(`${callId} ${branch} ${fromTag}`);
  return responseTo(received.message, status, reason, { toTag, headers });
}

/** The response to a request that cannot be parsed; null if there must be none. */
export function malformedResponse({ request, status, reason }: MalformedRequest): SipResponse | null {
  if (request.method === 'ACK') return null;
  const toTag = tagFrom(request.headers.join());
  return responseTo(request, status, reason, { toTag });
}

function tagFrom(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, TAG_LENGTH);
}

/** 503, because there is no room for the request. */
export function unavailable(received: ReceivedRequest): SipResponse {
  return stateless(received, 503, 'Service Unavailable', [['Retry-After', '5']]);
}

/** A response that rejects a malformed or unsupported INVITE before admission; null if it is acceptable. */
export function inviteRejection(
  received: ReceivedRequest,
  isFull: boolean,
  isMerged: boolean,
): SipResponse | null {
  const { message } = received;
  const encoding = headerOf(message, 'Content-Encoding')?.trim().toLowerCase();
  const unsupported = unsupportedRejection(received);
  if (unsupported) return unsupported;
  if (headersOf(message, 'Contact').some((value) => EMPTY_PARAMETER.test(value))) {
    return stateless(received, 400, 'Bad Contact');
  }
  if (isMerged) return stateless(received, 482, 'Loop Detected');
  const isReadable = message.body === '' || sdpOf(message) !== null;
  if (!isReadable || (encoding !== undefined && encoding !== 'identity')) {
    return stateless(received, 415, 'Unsupported Media Type', ACCEPT);
  }
  if (isSessionTooShort(message)) return stateless(received, 422, 'Session Interval Too Small', MIN_SE);
  if (!acceptsSdp(received)) return stateless(received, 406, 'Not Acceptable');
  return isFull ? unavailable(received) : null;
}

/** A response that rejects an INVITE whose Replaces header is malformed or names no dialog (RFC 3891, 3). */
export function replacesRejection(
  received: ReceivedRequest,
  dialogs: Pick<Dialogs, 'replaced'>,
): SipResponse | null {
  const replaced = replacedDialog(received.message);
  if (replaced === null) return null;
  if (replaced === 'malformed') return stateless(received, 400, 'Bad Replaces');
  if (!dialogs.replaced(replaced)) return stateless(received, 481, 'Call/Transaction Does Not Exist');
  return replaced.isEarlyOnly ? stateless(received, 486, 'Busy Here') : null;
}

/** The response to any other request outside of dialogs. */
export function outOfDialogResponse(received: ReceivedRequest): SipResponse {
  const { method } = received.message;
  if (
    received.envelope.toTag !== null ||
    ['BYE', 'CANCEL', 'UPDATE', 'NOTIFY', 'PRACK', 'INFO'].includes(method)
  ) {
    return stateless(received, 481, 'Call/Transaction Does Not Exist');
  }
  if (method === 'OPTIONS') {
    return (
      unsupportedRejection(received) ?? stateless(received, 200, 'OK', [...ALLOW, ...ACCEPT, ...SUPPORTED])
    );
  }
  if (method === 'REFER') return stateless(received, 603, 'Decline');
  return KNOWN_METHODS.has(method)
    ? stateless(received, 405, 'Method Not Allowed', ALLOW)
    : stateless(received, 501, 'Not Implemented', ALLOW);
}

/** A URI scheme or a required extension that is not supported. */
function unsupportedRejection(received: ReceivedRequest): SipResponse | null {
  const { message, source } = received;
  // A `sips:` URI requires TLS on each hop (RFC 5630).
  const isSupported =
    /^(?:sip|tel):/iu.test(message.uri) || (isSipsUri(message.uri) && source.transport === 'tls');
  if (!isSupported) {
    return stateless(received, 416, 'Unsupported URI Scheme');
  }
  return extensionRejection(received);
}

/** 420 if Require has unknown option tags. A BYE ends its call in any case. */
export function extensionRejection(received: ReceivedRequest): SipResponse | null {
  const { message } = received;
  const unknown = listOf(message, 'Require').filter(
    (option) => !SUPPORTED_OPTIONS.includes(option.toLowerCase()),
  );
  if (unknown.length === 0 || message.method === 'BYE') return null;
  return stateless(received, 420, 'Bad Extension', [['Unsupported', unknown.join(', ')]]);
}

/** Without Accept, an INVITE accepts SDP (RFC 3261, 20.1). */
function acceptsSdp({ message }: ReceivedRequest): boolean {
  const accepted = listOf(message, 'Accept').map((each) => each.split(';')[0]?.trim().toLowerCase());
  return accepted.length === 0 || accepted.some((each) => each && SDP_RANGES.has(each));
}
