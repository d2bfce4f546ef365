import { headerOf, listOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { readNameAddress } from '../message/name-address.ts';
import { isSipsUri, readSipUri } from '../message/uri.ts';

/** The state of a dialog (RFC 3261, 12). */
export interface DialogState {
  callId: string;
  localTag: string;
  remoteTag: string;
  /** From and To values of local requests. */
  local: string;
  remote: string;
  /** CSeq number of the last local request other than ACK and CANCEL. */
  localCSeq: number;
  /** CSeq number of the peer's last request; null if there was none. */
  remoteCSeq: number | null;
  /** URI of the peer, after the route. */
  remoteTarget: string;
  /** Route header values, in order. */
  routeSet: readonly string[];
  /** Each hop uses TLS (`sips:`). */
  isSecure: boolean;
}

/** The dialog that a 2xx to a local INVITE creates; null if the peer's tag is missing. */
export function dialogOfResponse(invite: SipRequest, response: SipResponse): DialogState | null {
  const from = headerOf(invite, 'From') ?? '';
  const to = headerOf(response, 'To') ?? '';
  const remoteTag = tagOf(to);
  if (remoteTag === '') return null;
  return {
    callId: headerOf(invite, 'Call-ID') ?? '',
    localTag: tagOf(from),
    remoteTag,
    local: from,
    remote: to,
    localCSeq: Number.parseInt(headerOf(invite, 'CSeq') ?? '', 10),
    remoteCSeq: null,
    remoteTarget: contactOf(response) ?? invite.uri,
    routeSet: listOf(response, 'Record-Route').reverse(),
    isSecure: isSipsUri(invite.uri),
  };
}

/** The dialog that a local 2xx creates. Without a Contact, the peer's URI is that of From. */
export function dialogOfRequest(invite: SipRequest, localTag: string): DialogState {
  const from = headerOf(invite, 'From') ?? '';
  return {
    callId: headerOf(invite, 'Call-ID') ?? '',
    localTag,
    remoteTag: tagOf(from),
    local: `${headerOf(invite, 'To') ?? ''};tag=${localTag}`,
    remote: from,
    localCSeq: 0,
    remoteCSeq: Number.parseInt(headerOf(invite, 'CSeq') ?? '', 10),
    remoteTarget: contactOf(invite) ?? readNameAddress(from)?.uri ?? '',
    routeSet: listOf(invite, 'Record-Route'),
    isSecure: isSipsUri(invite.uri),
  };
}

/** The key of a dialog's messages. */
export function dialogKey(callId: string, localTag: string, remoteTag: string): string {
  return `${callId} ${localTag} ${remoteTag}`;
}

/** The dialog after a message that can change the peer's URI: INVITE, UPDATE, or a 2xx to one of them. */
export function withRemoteTarget(state: DialogState, message: SipRequest | SipResponse): DialogState {
  return { ...state, remoteTarget: contactOf(message) ?? state.remoteTarget };
}

/** The dialog after a request with this CSeq number; null if the request is out of order (RFC 3261, 12.2.2). */
export function withRemoteCSeq(state: DialogState, remoteCSeq: number): DialogState | null {
  return remoteCSeq > (state.remoteCSeq ?? -1) ? { ...state, remoteCSeq } : null;
}

export interface RequestWithin {
  request: SipRequest;
  /** The URI that determines the destination. */
  nextHop: string;
}

/**
 * A request within the dialog (RFC 3261, 12.2.1.1). ACK reuses the CSeq of its INVITE; any other method needs a new
 * one.
 */
export function requestWithin(
  state: DialogState,
  method: string,
  cseq: number,
  { headers = [], body = '' }: { headers?: SipHeaders; body?: string } = {},
): RequestWithin {
  const { uri, routes, nextHop } = wayTo(state);
  return {
    nextHop,
    request: {
      kind: 'request',
      method,
      uri,
      headers: [
        ['Max-Forwards', '70'],
        ...routes.map((route) => ['Route', route] as const),
        ['From', state.local],
        ['To', state.remote],
        ['Call-ID', state.callId],
        ['CSeq', `${cseq} ${method}`],
        ...headers,
      ],
      body,
    },
  };
}

/** A first route without `lr` is a strict router: it becomes the request URI, and the target becomes the last route. */
function wayTo({ remoteTarget, routeSet }: DialogState): {
  uri: string;
  routes: readonly string[];
  nextHop: string;
} {
  const [first, ...others] = routeSet;
  const hop = first === undefined ? null : readNameAddress(first)?.uri;
  if (!hop) return { uri: remoteTarget, routes: [], nextHop: remoteTarget };
  const isLoose = readSipUri(hop)?.parameters.has('lr') ?? true;
  if (isLoose) return { uri: remoteTarget, routes: routeSet, nextHop: hop };
  return { uri: hop, routes: [...others, `<${remoteTarget}>`], nextHop: hop };
}

function contactOf(message: SipRequest | SipResponse): string | null {
  return readNameAddress(listOf(message, 'Contact')[0] ?? '')?.uri ?? null;
}

function tagOf(address: string): string {
  return readNameAddress(address)?.parameters.get('tag') ?? '';
}
