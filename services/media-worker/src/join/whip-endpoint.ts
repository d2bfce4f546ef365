import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readMessageSwitches } from '@calls/api-contract/data-messages/server-messages';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import type { WebRtc, WebRtcCall } from '@calls/transports/webrtc/web-rtc';
import { OfferError } from '@calls/transports/webrtc/whip/sdp-offer';
import type { WhipJoin } from '@calls/transports/webrtc/whip/whip-join';
import type { HostedCall } from '../calls/hosted-call.ts';
import type { CallFinder, CallLocation } from './find-call.ts';
import { iceServerLinks, optionsOf, problem, sendResponse, type HttpResponse } from './http-response.ts';
import type { OnJoin } from './join-outcome.ts';
import { withSwitches } from './client-media.ts';
import { connectClient } from './connect-client.ts';
import { forwardRequest, readBody } from './forward-request.ts';

const MAX_OFFER_BYTES = 64 * 1024;
/** Maximum number of concurrent requests. */
const MAX_UNDER_WAY = 500;

export interface WhipEndpointOptions {
  tokens: JoinTokens;
  /** Null if this worker does not support WebRTC. */
  webRtc: Pick<WebRtc, 'answer' | 'iceServers'> | null;
  onNoCapacity: (callId: string) => void;
  onJoin: OnJoin;
  log: Logger;
}

interface Visit {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  callId: string;
  /** Id of an existing session; null to start one. */
  sessionId: string | null;
  finder: Pick<CallFinder, 'find'>;
  mayForward: boolean;
  /** Called when the token is valid. */
  onAllowed: () => void;
}

/** Joins over HTTP (RFC 9725): the join URL answers an SDP offer, and the session's URL hangs up. */
export class WhipEndpoint {
  readonly #options: WhipEndpointOptions;
  readonly #sessions = new Map<string, WhipJoin>();
  #underWay = 0;

  constructor(options: WhipEndpointOptions) {
    this.#options = options;
  }

  /** Returns false if the request is not for this endpoint. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    {
      finder,
      ...visit
    }: Pick<Visit, 'url' | 'mayForward' | 'onAllowed'> & { finder: Visit['finder'] | null },
  ): boolean {
    const { url } = visit;
    const [, callId, sessionId = null] = PATH.exec(url.pathname) ?? [];
    if (!callId) return false;
    const { allow, method } = sessionId === null ? ENDPOINT : SESSION;
    if (request.method === 'OPTIONS') {
      sendResponse(response, optionsOf(allow));
    } else if (request.method === 'GET' || request.method === 'HEAD') {
      // Neither resource has a representation (RFC 9725, 4.1).
      sendResponse(response, { status: 204, headers: { allow } });
    } else if (request.method !== method) {
      sendResponse(
        response,
        problem(405, 'method_not_allowed', `only ${allow} are supported here`, { allow }),
      );
    } else if (!finder || this.#underWay >= MAX_UNDER_WAY) {
      sendResponse(response, NO_CAPACITY);
    } else {
      this.#underWay += 1;
      void this.#respond({ ...visit, request, response, callId, sessionId, finder }).finally(() => {
        this.#underWay -= 1;
      });
    }
    return true;
  }

  /** Never rejects. */
  async #respond(visit: Visit): Promise<void> {
    const { response, callId } = visit;
    const { log } = this.#options;
    try {
      sendResponse(response, visit.sessionId === null ? await this.#join(visit) : await this.#leave(visit));
    } catch (thrown) {
      if (!response.destroyed) log.error({ callId, err: toError(thrown) }, 'WHIP join failed');
      sendResponse(response, problem(500, 'internal_error', 'the request failed; try again'));
    }
  }

  async #join(visit: Visit): Promise<HttpResponse> {
    const { request, callId } = visit;
    const { onJoin } = this.#options;
    const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/sdp') {
      return problem(
        415,
        'unsupported_media_type',
        'the Content-Type of an offer must be application/sdp',
        ACCEPT_POST,
      );
    }
    if (!(await this.#isAllowed(visit))) {
      onJoin('bad_token');
      return BAD_TOKEN;
    }
    const offer = await readBody(request, MAX_OFFER_BYTES);
    if (offer === null) {
      return problem(413, 'body_too_large', `the offer must have at most ${MAX_OFFER_BYTES} bytes`, {
        connection: 'close',
      });
    }
    const found = await this.#find(visit);
    if (found.kind === 'there') return this.#forward(visit, offer, found.holder.url);
    if (found.kind === 'here') return this.#serve(visit, found.call, offer);
    onJoin(found.reason);
    if (found.reason === 'unknown_call') return UNKNOWN_CALL;
    this.#options.onNoCapacity(callId);
    return NO_CAPACITY;
  }

  async #leave(visit: Visit): Promise<HttpResponse> {
    if (!(await this.#isAllowed(visit))) return BAD_TOKEN;
    const session = this.#sessions.get(`${visit.callId}/${visit.sessionId}`);
    if (session) {
      session.hangUp();
      return { status: 200 };
    }
    const found = await this.#find(visit);
    if (found.kind === 'there' && visit.mayForward) return this.#forward(visit, '', found.holder.url);
    if (found.kind === 'here' && found.call.isSuspended) {
      // The media or the worker was lost. A client that hangs up does not reconnect.
      found.call.end('hangup');
      return { status: 200 };
    }
    return UNKNOWN_CALL;
  }

  async #serve(visit: Visit, call: HostedCall, offer: string): Promise<HttpResponse> {
    const { webRtc, onJoin, log } = this.#options;
    const { callId, response, url } = visit;
    const { medium } = call.spec;
    if (medium.kind !== 'webRtc') {
      onJoin('other_medium');
      return problem(422, 'other_medium', 'the medium of this call is not WebRTC');
    }
    if (call.isJoined) {
      call.checkClient();
      onJoin('already_joined');
      return problem(409, 'already_joined', 'the call already has a client');
    }
    if (!call.takeJoinAttempt()) {
      onJoin('too_many_joins');
      return TOO_MANY_JOINS;
    }
    const switches = readMessageSwitches(url.searchParams);
    const webRtcCall = { callId, deadlineMs: call.deadlineMs, spec: withSwitches(medium, switches) };
    const join = await this.#negotiate(webRtcCall, offer);
    if (join instanceof OfferError) return problem(422, join.code, join.message);
    if (!join || response.destroyed) {
      join?.hangUp();
      return NO_CAPACITY;
    }
    const sessionId = randomUUID();
    const key = `${callId}/${sessionId}`;
    this.#sessions.set(key, join);
    void join.ended.then(() => this.#sessions.delete(key));
    connectClient({
      ...{ call, switches, onJoin, log, query: url.searchParams, by: 'whip' },
      setUp: join.connected,
      onRefused: () => undefined,
      onFailed: () => join.hangUp(),
    });
    return {
      status: 201,
      headers: {
        'content-type': 'application/sdp',
        location: `/join/${callId}/whip/${sessionId}${url.search}`,
        link: iceServerLinks(webRtc?.iceServers(webRtcCall) ?? []),
      },
      body: join.answer,
    };
  }

  async #negotiate(call: WebRtcCall, offer: string): Promise<WhipJoin | OfferError | null> {
    try {
      return (await this.#options.webRtc?.answer(call, offer)) ?? null;
    } catch (thrown) {
      if (thrown instanceof OfferError) return thrown;
      throw thrown;
    }
  }

  async #forward(visit: Visit, body: string, workerUrl: string): Promise<HttpResponse> {
    const { request, callId, mayForward } = visit;
    const { log, onJoin } = this.#options;
    // The call has moved since the other worker looked it up.
    if (!mayForward) return NO_CAPACITY;
    try {
      const { status, headers, body: text } = await forwardRequest(request, body, workerUrl);
      onJoin('forwarded');
      const forwardedHeaders = ['content-type', 'location', 'link', 'retry-after'] as const;
      return {
        status,
        headers: Object.fromEntries(
          forwardedHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
        ),
        body: text,
      };
    } catch (thrown) {
      log.error({ callId, err: toError(thrown) }, 'failed to reach the worker of a call at its WORKER_URL');
      return NO_CAPACITY;
    }
  }

  async #find({ finder, callId, response }: Visit): Promise<CallLocation> {
    try {
      return await finder.find(callId, () => response.destroyed);
    } catch (thrown) {
      this.#options.log.warn({ callId, err: toError(thrown) }, 'failed to locate call');
      return { kind: 'nowhere', reason: 'no_capacity' };
    }
  }

  async #isAllowed({ url, request, callId, onAllowed }: Visit): Promise<boolean> {
    const bearer = /^Bearer (\S+)$/iu.exec(request.headers.authorization ?? '')?.[1];
    const claims = await this.#options.tokens.verify(url.searchParams.get('token') ?? bearer ?? '');
    if (claims?.callId !== callId) return false;
    onAllowed();
    return true;
  }
}

const PATH = /^\/join\/([0-9a-f-]{36})(?:\/whip\/([0-9a-f-]{36}))?$/u;
const ACCEPT_POST = { 'accept-post': 'application/sdp' };
const ENDPOINT = { method: 'POST', allow: 'GET, HEAD, OPTIONS, POST' };
const SESSION = { method: 'DELETE', allow: 'DELETE, GET, HEAD, OPTIONS' };
const BAD_TOKEN = problem(401, 'bad_token', 'the token is missing, malformed, expired, or for another call', {
  'www-authenticate': 'Bearer',
  connection: 'close',
});
const UNKNOWN_CALL = problem(404, 'unknown_call', 'call not found, or it has ended');
const TOO_MANY_JOINS = problem(
  429,
  'too_many_joins',
  'too many attempts to join this call; try again later',
  {
    'retry-after': '2',
  },
);
const NO_CAPACITY = problem(503, 'no_capacity', 'no worker has free capacity; try again', {
  'retry-after': '1',
});
