import { randomSecret } from '@calls/foundation/ids';
import { headersOf, headerOf, type SipHeaders } from './headers.ts';
import type { SipRequest, SipResponse } from './message.ts';

/** Methods that peers may send. */
export const ALLOWED_METHODS = [
  'INVITE',
  'ACK',
  'CANCEL',
  'BYE',
  'OPTIONS',
  'UPDATE',
  'NOTIFY',
  'PRACK',
  'INFO',
  'REFER',
];
export const ALLOW: SipHeaders = [['Allow', ALLOWED_METHODS.join(', ')]];
/** Supported option tags, which Require may name. */
export const SUPPORTED_OPTIONS = ['timer', '100rel', 'replaces'];
export const SUPPORTED: SipHeaders = [['Supported', SUPPORTED_OPTIONS.join(', ')]];
export const SDP: SipHeaders = [['Content-Type', 'application/sdp']];

const COOKIE = 'z9hG4bK';

export function newBranch(): string {
  return `${COOKIE}${randomSecret(12)}`;
}

/** Whether a branch is globally unique; branches of RFC 2543 are not. */
export function isUniqueBranch(branch: string): boolean {
  return branch.startsWith(COOKIE) && branch.length > COOKIE.length;
}

export function newTag(): string {
  return randomSecret(9);
}

interface ResponseParts {
  /** Added to To if it has no tag. */
  toTag?: string;
  headers?: SipHeaders;
  body?: string;
}

export function responseTo(
  request: SipRequest,
  status: number,
  reason: string,
  { toTag, headers = [], body = '' }: ResponseParts = {},
): SipResponse {
  const to = headerOf(request, 'To') ?? '';
  const isTagged = toTag === undefined || /;\s*tag\s*=/iu.test(to.slice(to.lastIndexOf('>') + 1));
  return {
    kind: 'response',
    status,
    reason,
    headers: [
      ...copiedHeaders(request, 'Via'),
      ...copiedHeaders(request, 'From'),
      ['To', isTagged ? to : `${to};tag=${toTag}`],
      ...copiedHeaders(request, 'Call-ID'),
      ...copiedHeaders(request, 'CSeq'),
      ...headers,
    ],
    body,
  };
}

/** ACK for a non-2xx final response to `invite`, in the same transaction (RFC 3261, 17.1.1.3). */
export function acknowledgementOf(invite: SipRequest, response: SipResponse): SipRequest {
  return ofSameTransaction(invite, 'ACK', headerOf(response, 'To') ?? '');
}

/** RFC 3261, 9.1. */
export function cancellationOf(invite: SipRequest): SipRequest {
  return ofSameTransaction(invite, 'CANCEL', headerOf(invite, 'To') ?? '');
}

function ofSameTransaction(invite: SipRequest, method: string, to: string): SipRequest {
  const cseq = Number.parseInt(headerOf(invite, 'CSeq') ?? '', 10);
  return {
    kind: 'request',
    method,
    uri: invite.uri,
    headers: [
      ...copiedHeaders(invite, 'Via').slice(0, 1),
      ['Max-Forwards', '70'],
      ...copiedHeaders(invite, 'Route'),
      ...copiedHeaders(invite, 'From'),
      ['To', to],
      ...copiedHeaders(invite, 'Call-ID'),
      ['CSeq', `${cseq} ${method}`],
    ],
    body: '',
  };
}

/** Copies all headers of that name unchanged. */
export function copiedHeaders(message: SipRequest | SipResponse, name: string): SipHeaders {
  return headersOf(message, name).map((value) => [name, value] as const);
}

export function withVia(request: SipRequest, via: string): SipRequest {
  return { ...request, headers: [['Via', via], ...request.headers.filter(([name]) => name !== 'Via')] };
}
