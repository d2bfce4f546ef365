import { AsyncLocalStorage } from 'node:async_hooks';
import type { Agent, IncomingMessage } from 'node:http';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { createAddressGuard } from './address-guard.ts';
import type { OutboundConfig } from './config.ts';
import { Deadline } from './deadline.ts';
import { exchange } from './exchange.ts';
import { createGuardedAgents } from './guarded-agents.ts';
import { guardedLookup } from './guarded-lookup.ts';
import { KeyedSlots } from './keyed-slots.ts';
import { createNameResolver, type NameResolver } from './name-resolver.ts';
import { OutboundError } from './outbound-error.ts';
import { outboundResponse, type OutboundResponse } from './outbound-response.ts';
import { isRedirect, nextHop, type Hop, type OutboundHeaders, type OutboundMethod } from './redirect.ts';
import { assertAllowedUrl, type OutboundScheme } from './url-guard.ts';

export interface OutboundRequest {
  method: OutboundMethod;
  /** http or https. */
  url: string;
  headers?: OutboundHeaders;
  body?: Uint8Array | string;
  /** Total time limit, from waiting for a connection to the last byte of the body. */
  timeoutMs: number;
  /** Maximum size of the body, before and after decompression. */
  maxResponseBytes: number;
  /** Default 0: a redirect is returned as the response. */
  maxRedirects?: number;
  /** Ends the request with its reason, even while the body is read. */
  signal?: AbortSignal;
  /** The account that supplied the URL, if known. Its concurrent name look-ups are limited. */
  owner?: string;
}

/** The only client for URLs that customers supply. It never connects to a network that is not allowed. */
export interface OutboundHttp extends AsyncDisposable {
  /** Resolves with the head of any response, whatever its status. Rejects with an OutboundError. Does not retry. */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** Checks a URL before its use, without the DNS. Throws an OutboundRefusal. Default schemes: http and https. */
  assertAllowedUrl(url: string, schemes?: readonly OutboundScheme[]): void;
  /**
   * For clients of other protocols over HTTP, such as WebSocket: their sockets are guarded in the same way. Checks the
   * URL first.
   */
  agentFor(url: string): Agent;
}

/** Maximum number of running requests per origin. */
const MAX_PER_ORIGIN = 32;
/** Maximum number of running and waiting requests over all origins; further ones are rejected. */
const MAX_REQUESTS = 2000;
const HTTP_SCHEMES: readonly OutboundScheme[] = ['http:', 'https:'];
const ALL_SCHEMES: readonly OutboundScheme[] = [...HTTP_SCHEMES, 'ws:', 'wss:'];

export function createOutboundHttp(
  options: OutboundConfig & { clock?: Clock; names?: Pick<NameResolver, 'addresses'> },
): OutboundHttp {
  const clock = options.clock ?? systemClock;
  const guard = createAddressGuard(options.allowPrivateNetworks);
  const names = options.names ?? createNameResolver({ servers: options.nameServers ?? null, clock });
  /** The owner of the request whose socket is being opened. */
  const owners = new AsyncLocalStorage<string | undefined>();
  const lookup = guardedLookup((hostname) => names.addresses(hostname, { owner: owners.getStore() }), guard);
  const agents = createGuardedAgents(guard, lookup);
  const slots = new KeyedSlots({ perKey: MAX_PER_ORIGIN, waitingPerKey: MAX_REQUESTS });
  const open = new Set<Deadline>();
  let isClosed = false;

  /** Sends one hop when the origin has a free slot; the slot is released with the message. */
  const send = async (hop: Hop, deadline: Deadline, owner: string | undefined): Promise<IncomingMessage> => {
    const release = await slots.acquire(hop.url.origin, deadline.signal);
    try {
      const message = await owners.run(owner, () => exchange(hop, agents, deadline.signal));
      message.once('close', release);
      return message;
    } catch (thrown) {
      release();
      throw thrown;
    }
  };

  const follow = async (request: OutboundRequest, deadline: Deadline): Promise<OutboundResponse> => {
    const { method, headers = {}, body, maxRedirects = 0, maxResponseBytes: maxBytes } = request;
    let hop: Hop = { url: assertAllowedUrl(request.url, HTTP_SCHEMES, guard), method, headers, body };
    for (let redirects = 0; ; redirects += 1) {
      const message = await send(hop, deadline, request.owner);
      const status = message.statusCode ?? 0;
      const { location } = message.headers;
      if (maxRedirects === 0 || !isRedirect(status, location)) {
        return outboundResponse(message, { url: hop.url, maxBytes, deadline });
      }
      message.destroy();
      if (redirects === maxRedirects) {
        throw new OutboundError('outbound_failed', 'too many redirects', { retryable: false });
      }
      hop = nextHop(hop, status, location);
      assertAllowedUrl(hop.url.href, HTTP_SCHEMES, guard);
    }
  };

  return {
    async request(request) {
      request.signal?.throwIfAborted();
      if (isClosed) throw closed();
      if (open.size >= MAX_REQUESTS) {
        throw new OutboundError('outbound_failed', 'too many concurrent requests', { retryable: true });
      }
      const deadline = new Deadline(clock, request.timeoutMs, request.signal, (ended) => open.delete(ended));
      open.add(deadline);
      try {
        return await follow(request, deadline);
      } catch (thrown) {
        const error = deadline.errorFor(thrown);
        deadline.end();
        throw error;
      }
    },
    assertAllowedUrl(url, schemes = HTTP_SCHEMES) {
      assertAllowedUrl(url, schemes, guard);
    },
    agentFor(url) {
      const { protocol } = assertAllowedUrl(url, ALL_SCHEMES, guard);
      return protocol === 'https:' || protocol === 'wss:' ? agents.https : agents.http;
    },
    [Symbol.asyncDispose]() {
      isClosed = true;
      for (const deadline of open) deadline.abort(closed());
      agents.http.destroy();
      agents.https.destroy();
      return Promise.resolve();
    },
  };
}

function closed(): OutboundError {
  return new OutboundError('outbound_failed', 'the client was closed', { retryable: true });
}
