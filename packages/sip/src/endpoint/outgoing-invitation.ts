import type { Timer } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { CallContext } from '../call-context.ts';
import {
  SipError,
  type CallFailure,
  type InviteOutcome,
  type OutgoingCall,
  type OutgoingInvite,
  type SipSource,
} from '../calls.ts';
import { dialogOfResponse } from '../dialog/dialog-state.ts';
import { DialogSession } from '../dialog/dialog-session.ts';
import { longerSession, sessionOfferHeaders, sessionOfResponse } from '../dialog/session-timer.ts';
import { Authenticator } from '../digest/authenticator.ts';
import { ALLOW, newTag, SDP, SUPPORTED } from '../message/build.ts';
import { hasToken, listOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { readNameAddress, type NameAddress } from '../message/name-address.ts';
import { routeThrough } from '../message/server-address.ts';
import { isSipsUri, readSipUri } from '../message/uri.ts';
import type { TransactionFailure } from '../transaction/machine.ts';
import { InviteAttempt } from './invite-attempt.ts';
import { readParty, requestUri, taggedParty } from './address-uris.ts';

/** How long an address may take to respond at all if there are others. A live peer needs 200 ms (RFC 3261, 8.2.6.1). */
const RESPONSE_LIMIT_MS = 4000;

/** An outbound INVITE until it is answered, refused or cancelled. Answers challenges and follows one redirection. */
export class OutgoingInvitation implements OutgoingCall {
  readonly callId = newId();
  readonly answered: Promise<InviteOutcome>;
  readonly #context: CallContext;
  readonly #invite: OutgoingInvite;
  /** Null if the address is malformed. */
  readonly #to: NameAddress | null;
  readonly #from: NameAddress | null;
  /** Null without an outbound proxy, or if its address is malformed. */
  readonly #route: ReturnType<typeof routeThrough>;
  readonly #settle: (outcome: InviteOutcome) => void;
  readonly #authenticator: Authenticator;
  readonly #localTag = newTag();
  readonly #ringLimit: Timer;
  readonly #ringsUntilMs: number;
  /** Functions that acknowledge the 2xx of each forked branch, by its tag. */
  readonly #acknowledgers = new Map<string, () => void>();
  #cseq = 0;
  /** Session interval to ask for; 0 for none. */
  #sessionS: number;
  #hasRedirected = false;
  #isSettled = false;
  /** The latest INVITE. */
  #attempt: InviteAttempt | null = null;
  #responseLimit: Timer | null = null;

  constructor(context: CallContext, invite: OutgoingInvite) {
    const { promise, resolve } = Promise.withResolvers<InviteOutcome>();
    this.answered = promise;
    this.#settle = resolve;
    this.#context = context;
    this.#sessionS = context.sessionExpiresS;
    this.#invite = invite;
    this.#to = readParty(invite.to);
    this.#from = readParty(invite.from);
    this.#route = invite.outboundProxy === undefined ? null : routeThrough(invite.outboundProxy);
    this.#authenticator = new Authenticator(invite.credentials);
    this.#ringsUntilMs = context.clock.nowMs() + invite.ringLimitMs;
    this.#ringLimit = context.clock.setTimer(invite.ringLimitMs, () => {
      this.#giveUp({ cause: 'noAnswer', status: null, reason: 'no response in time' });
    });
    void this.#begin();
  }

  cancel(): void {
    this.#giveUp({ cause: 'cancelled', status: null, reason: 'cancelled' });
  }

  async #begin(): Promise<void> {
    const uri = this.#to && this.#from && requestUri(this.#to, this.#from);
    if (uri) await this.#inviteTo(uri);
    else this.#fail({ cause: 'unreachable', status: null, reason: 'not a SIP address' });
  }

  async #inviteTo(uri: string): Promise<void> {
    try {
      if (this.#invite.outboundProxy !== undefined && !this.#route) {
        throw new SipError('unreachable', 'the address of the outbound proxy is malformed');
      }
      const peers = await this.#context.peersOf(this.#route?.nextHop ?? uri, { owner: this.#invite.owner });
      this.#inviteOneOf(peers, uri, []);
    } catch (thrown) {
      this.#unreachable(thrown);
    }
  }

  /** Tries the peers in order until one responds and has room. */
  #inviteOneOf(peers: readonly SipSource[], uri: string, authorization: SipHeaders): void {
    const [peer, ...others] = peers;
    if (this.#isSettled) return;
    this.#responseLimit?.cancel();
    const next = (): void => this.#inviteOneOf(others, uri, authorization);
    try {
      if (!peer) throw new SipError('unreachable', 'the connection failed');
      const attempt = new InviteAttempt({
        context: this.#context,
        request: this.#request(uri, peer, authorization),
        peer,
        credentials: this.#invite.credentials,
        nextCSeq: () => this.#nextCSeq(),
        reoffer: this.#invite.reoffer,
        onFinal: (response, invite, sdp) =>
          response.status < 300
            ? this.#accepted(invite, attempt, response, sdp)
            : this.#onRejected(response, invite, attempt, peers),
        onFailure: (cause) => {
          if (attempt === this.#attempt) this.#lost(cause, others.length === 0 ? null : next);
        },
      });
      this.#attempt = attempt;
      if (others.length > 0) this.#limitResponse(attempt, peers.length, next);
    } catch (thrown) {
      this.#unreachable(thrown);
    }
  }

  /** Gives up on an address that does not respond, so that the others get their share of the ring time. */
  #limitResponse(attempt: InviteAttempt, peersLeft: number, next: () => void): void {
    const { clock } = this.#context;
    const limitMs = Math.min(RESPONSE_LIMIT_MS, (this.#ringsUntilMs - clock.nowMs()) / peersLeft);
    this.#responseLimit = clock.setTimer(limitMs, () => {
      if (attempt !== this.#attempt || attempt.hasResponded) return;
      attempt.cancel();
      next();
    });
  }

  #request(uri: string, peer: SipSource, authorization: SipHeaders): SipRequest {
    const cseq = this.#nextCSeq();
    const { sdp } = this.#invite;
    return {
      kind: 'request',
      method: 'INVITE',
      uri,
      headers: [
        ['Max-Forwards', '70'],
        ...(this.#route?.headers ?? []),
        ['From', this.#from ? taggedParty(this.#from, this.#localTag) : ''],
        ['To', this.#to ? taggedParty(this.#to, null) : ''],
        ['Call-ID', this.callId],
        ['CSeq', `${cseq} INVITE`],
        ...this.#context.contact(peer, isSipsUri(uri)),
        ...authorization,
        ...(this.#invite.headers ?? []),
        ...ALLOW,
        ...SUPPORTED,
        ...(this.#sessionS === 0 ? [] : sessionOfferHeaders(this.#sessionS, false)),
        ...SDP,
      ],
      body: typeof sdp === 'string' ? sdp : sdp(peer),
    };
  }

  #onRejected(
    response: SipResponse,
    request: SipRequest,
    attempt: InviteAttempt,
    peers: readonly SipSource[],
  ): void {
    const { status, reason } = response;
    if (this.#isSettled || attempt !== this.#attempt) return;
    const [, ...others] = peers;
    const next = this.#redirection(request, response);
    const authorization = this.#authenticator.authorizationFor(response, request);
    const longerS = longerSession(response, this.#sessionS);
    if (authorization) this.#inviteOneOf(peers, request.uri, authorization);
    else if (longerS !== null && this.#sessionS > 0) {
      this.#sessionS = longerS;
      this.#inviteOneOf(peers, request.uri, []);
    } else if (next !== null) void this.#inviteTo(next);
    else if (status === 503 && others.length > 0) this.#inviteOneOf(others, request.uri, []);
    else this.#fail({ cause: 'refused', status, reason });
  }

  /**
   * The first 2xx establishes the call. Answers of other forked branches, and answers to a cancelled call, are hung up.
   */
  #accepted(request: SipRequest, attempt: InviteAttempt, response: SipResponse, sdp: string | null): void {
    const state = dialogOfResponse(request, response);
    if (!state) {
      this.#fail({ cause: 'unusable', status: null, reason: 'the answer has no tag' });
      return;
    }
    const repeated = this.#acknowledgers.get(state.remoteTag);
    if (repeated) {
      repeated();
      return;
    }
    // An address that responds late may answer while the next one rings.
    if (attempt !== this.#attempt) this.#attempt?.cancel();
    const { credentials } = this.#invite;
    const dialog = new DialogSession({
      context: this.#context,
      state: { ...state, localCSeq: this.#cseq },
      credentials,
      peer: attempt.peer,
      isDirect: false,
      localSdp: request.body,
      remoteSdp: sdp,
      session: sessionOfResponse(response),
      hasUpdate: hasToken(response, 'Allow', 'UPDATE'),
    });
    const acknowledge = dialog.acknowledge(request);
    this.#acknowledgers.set(state.remoteTag, acknowledge);
    acknowledge();
    if (!this.#isSettled && sdp !== null) {
      this.#finish({ kind: 'answered', sdp, dialog });
      return;
    }
    void dialog.bye();
    this.#fail({ cause: 'unusable', status: null, reason: 'the answer has no session description' });
  }

  /** The target of a 3xx; at most one redirection, and only to the same host. */
  #redirection(request: SipRequest, response: SipResponse): string | null {
    if (response.status < 300 || response.status >= 400 || this.#hasRedirected) return null;
    const uri = readNameAddress(listOf(response, 'Contact')[0] ?? '')?.uri ?? '';
    const host = readSipUri(uri)?.host.toLowerCase();
    const requestedHost = readSipUri(request.uri)?.host.toLowerCase();
    if (host === undefined || host !== requestedHost) return null;
    this.#hasRedirected = true;
    return uri;
  }

  #lost(cause: TransactionFailure, tryNext: (() => void) | null): void {
    if (tryNext) tryNext();
    else if (cause === 'transport') this.#unreachable(new SipError('unreachable', 'the connection failed'));
    else this.#unreachable(new SipError('unreachable', 'the peer does not respond'));
  }

  #giveUp(failure: CallFailure): void {
    if (this.#isSettled) return;
    this.#fail(failure);
    this.#attempt?.cancel();
  }

  #nextCSeq(): number {
    this.#cseq += 1;
    return this.#cseq;
  }

  #unreachable(thrown: unknown): void {
    const reason = Error.isError(thrown) ? thrown.message : 'the connection failed';
    this.#fail({ cause: 'unreachable', status: null, reason });
  }

  #fail(failure: CallFailure): void {
    this.#finish({ kind: 'failed', ...failure });
  }

  #finish(outcome: InviteOutcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#ringLimit.cancel();
    this.#responseLimit?.cancel();
    this.#settle(outcome);
  }
}
