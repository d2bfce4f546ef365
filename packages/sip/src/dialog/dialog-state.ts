import { headerOf, listOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { readNameAddress } from '../message/name-address.ts';
import { readSipUri } from '../message/uri.ts';

/** RFC 3261, 12: what both sides know of a call. */
export interface DialogState {
  callId: string;
  localTag: string;
  remoteTag: string;
  /** The values of From and To of our requests. */
  local: string;
  remote: string;
  /** The number of our latest request but ACK and CANCEL. */
  localCSeq: number;
  /** Of the peer's latest; null where it has sent none. */
  remoteCSeq: number | null;
  /** Where the peer is reached, behind the route. */
  remoteTarget: string;
  /** Values of Route, in order. */
  routeSet: readonly string[];
}

/** What a 2xx to our INVITE makes; null where it lacks the peer's tag. */
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
  };
}

/** What our 2xx to an INVITE makes. Without a Contact the peer is where its From says. */
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
  };
}

/** Identifies the messages of a dialog. */
export function dialogKey(callId: string, localTag: string, remoteTag: string): string {
  return `${callId} ${localTag} ${remoteTag}`;
}

/** The dialog after a message that may say where the peer is now (INVITE and UPDATE, and 2xx to them). */
export function retargeted(state: DialogState, message: SipRequest | SipResponse): DialogState {
  return { ...state, remoteTarget: contactOf(message) ?? state.remoteTarget };
}

/** Null where a request of that number comes too late (RFC 3261, 12.2.2). */
export function advanced(state: DialogState, remoteCSeq: number): DialogState | null {
  return remoteCSeq > (state.remoteCSeq ?? -1) ? { ...state, remoteCSeq } : null;
}

export interface RequestWithin {
  request: SipRequest;
  /** The URI that says where it goes. */
  nextHop: string;
}

/** A request of the dialog (RFC 3261, 12.2.1.1). ACK reuses the CSeq of its INVITE; any other method needs a new one. */
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

/** A first route without `lr` is a strict router: it takes the place of the target, which becomes the last route. */
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
