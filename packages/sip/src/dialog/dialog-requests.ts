import type { CallContext } from '../call-context.ts';
import { isReliable, type SipCredentials, type SipSource } from '../calls.ts';
import { Authenticator } from '../digest/authenticator.ts';
import { headerOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { readSipUri } from '../message/uri.ts';
import type { ClientOwner } from '../transaction/transactions.ts';
import { requestWithin, type DialogState } from './dialog-state.ts';

interface DialogRequestsOptions {
  context: CallContext;
  credentials: SipCredentials | null;
  /** Where the peer last sent from. */
  peer(): SipSource;
  /** Whether the peer sends from there directly, without a proxy in between. */
  isDirect: boolean;
  /** Whether a connection that the peer sent over is open. */
  isConnected(): boolean;
  state(): DialogState;
  /** Returns the next local CSeq number. */
  nextCSeq(): number;
  /** A 2xx to a re-INVITE has arrived. Returns a function that sends its ACK, which is called for each copy. */
  onInviteSuccess?(invite: SipRequest, response: SipResponse): () => void;
}

interface RequestParts {
  headers?: SipHeaders;
  body?: string;
}

/** Sends requests within a dialog. */
export class DialogRequests {
  readonly #options: DialogRequestsOptions;

  constructor(options: DialogRequestsOptions) {
    this.#options = options;
  }

  /** Resolves to the final response; null if the peer is unreachable or does not respond. Answers challenges. */
  async send(method: string, { headers = [], body = '' }: RequestParts = {}): Promise<SipResponse | null> {
    const authenticator = new Authenticator(this.#options.credentials);
    let authorization: SipHeaders = [];
    for (;;) {
      const cseq = this.#options.nextCSeq();
      const { request, nextHop } = requestWithin(this.#options.state(), method, cseq, {
        headers: [...headers, ...authorization],
        body,
      });
      const response = await this.#sendOnce(request, nextHop);
      const next = response && authenticator.authorizationFor(response, request);
      if (!next) return response;
      authorization = next;
    }
  }

  /** Returns a function that sends the ACK of a 2xx to this INVITE. */
  acknowledgement(invite: SipRequest): () => Promise<void> {
    const { context } = this.#options;
    const headers = ['Authorization', 'Proxy-Authorization'].flatMap((name): SipHeaders => {
      const value = headerOf(invite, name);
      return value === null ? [] : [[name, value]];
    });
    const cseq = Number.parseInt(headerOf(invite, 'CSeq') ?? '', 10);
    const { request, nextHop } = requestWithin(this.#options.state(), 'ACK', cseq, { headers });
    const placed = this.peers(nextHop).then((peers) =>
      peers.map((to) => ({ to, ack: context.transactions.placed(request, to) })),
    );
    return async () => {
      for (const { to, ack } of await placed) {
        const isSent = await context.send(ack, to).then(
          () => true,
          () => false,
        );
        if (isSent) return;
      }
    };
  }

  /** The addresses to send requests of the dialog to, best first. The last resort is the address the peer last sent from. */
  async peers(nextHop: string): Promise<SipSource[]> {
    const { context, isDirect } = this.#options;
    const isConnected = isReliable(this.#options.peer()) && this.#options.isConnected();
    const peer = this.#options.peer();
    const { routeSet } = this.#options.state();
    const found = await context.peersOf(nextHop, { known: peer }).catch((): SipSource[] => []);
    if (found.length === 0) return [peer];
    const isAtSource =
      routeSet.length === 0
        ? isConnected || (!isReliable(peer) && isReachedAtSource(peer, nextHop, isDirect))
        : // The connection of the next hop is used again (RFC 5923).
          isConnected && found.some((each) => isSameHost(each, peer));
    if (isAtSource) return [peer, ...found];
    // A peer that used TCP may not say so in its URI.
    const isTcp = peer.transport === 'tcp' && !this.#options.isConnected();
    if (isTcp) return found.map((each) => overTcp(each));
    return isReliable(peer) ? found : [...found, peer];
  }

  async #sendOnce(request: SipRequest, nextHop: string): Promise<SipResponse | null> {
    for (const peer of await this.peers(nextHop)) {
      const outcome = await this.#sendTo(request, peer);
      if (outcome !== 'transport') return outcome === 'timeout' ? null : outcome;
    }
    return null;
  }

  #sendTo(request: SipRequest, peer: SipSource): Promise<SipResponse | 'timeout' | 'transport'> {
    return new Promise((resolve) => {
      const owner: ClientOwner = {
        onResponse(response) {
          if (response.status >= 200) resolve(response);
        },
        onFailure: resolve,
      };
      try {
        if (request.method === 'INVITE') this.#invite(request, peer, owner);
        else this.#options.context.transactions.request(request, peer, owner);
      } catch {
        resolve('timeout');
      }
    });
  }

  #invite(request: SipRequest, peer: SipSource, owner: ClientOwner): void {
    let acknowledge: (() => void) | undefined;
    const client = this.#options.context.transactions.invite(request, peer, {
      onResponse: (response) => {
        // The final response must come soon, because no person is involved.
        if (response.status < 200) client.cancelled();
        else if (response.status < 300) {
          acknowledge ??= this.#options.onInviteSuccess?.(client.request, response);
          acknowledge?.();
        }
        owner.onResponse(response);
      },
      onFailure: (cause) => owner.onFailure(cause),
    });
  }
}

const PRIVATE = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/u;

/**
 * Whether requests over UDP should go to the peer's source address instead of its `uri`: when `uri` has a private
 * address of another network, which means the peer is behind NAT. A peer that is reached through a proxy may have a
 * private address next to the proxy's.
 */
function isReachedAtSource(peer: SipSource, uri: string, isDirect: boolean): boolean {
  const host = readSipUri(uri)?.host ?? '';
  if (!PRIVATE.test(host) || host === peer.address) return false;
  return isDirect || !PRIVATE.test(peer.address) || networkOf(host) !== networkOf(peer.address);
}

function overTcp(peer: SipSource): SipSource {
  return peer.transport === 'udp' ? { ...peer, transport: 'tcp' } : peer;
}

function isSameHost(a: SipSource, b: SipSource): boolean {
  return a.address === b.address && a.transport === b.transport;
}

/** The /16 of an IPv4 address. */
function networkOf(address: string): string {
  return address.split('.').slice(0, 2).join('.');
}
