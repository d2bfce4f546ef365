import type { CallContext } from '../call-context.ts';
import type { OutgoingInvite, SipSource } from '../calls.ts';
import { ALLOW, responseTo, SDP, SUPPORTED } from '../message/build.ts';
import { hasToken, type SipHeaders } from '../message/headers.ts';
import { sdpOf, type SipRequest, type SipResponse } from '../message/message.ts';
import type { ReceivedRequest } from '../message/received.ts';
import { withRemoteCSeq, dialogKey, dialogOfResponse, type DialogState } from './dialog-state.ts';
import { serveWithin, type DialogParty } from './dialogs.ts';
import { isSessionTooShort, MIN_SE } from './session-timer.ts';

/** Maximum number of forked branches whose requests are answered. */
const MAX_BRANCHES = 8;
const NO_SUCH_CALL = 'Call/Transaction Does Not Exist';

interface EarlyDialogsOptions {
  context: CallContext;
  peer: SipSource;
  reoffer: OutgoingInvite['reoffer'];
}

/**
 * The branches of an outgoing INVITE that sent provisional responses, until its final response. Answers their UPDATE
 * requests (RFC 3311).
 */
export class EarlyDialogs {
  readonly #options: EarlyDialogsOptions;
  readonly #branches = new Map<string, EarlyDialog>();
  /** The latest description in a provisional response of any branch. */
  #latest: string | null = null;

  constructor(options: EarlyDialogsOptions) {
    this.#options = options;
  }

  /** Handles a provisional response. */
  responded(invite: SipRequest, response: SipResponse): void {
    const sdp = sdpOf(response);
    this.#latest = sdp ?? this.#latest;
    const state = dialogOfResponse(invite, response);
    if (!state) return;
    const key = dialogKey(state.callId, state.localTag, state.remoteTag);
    const known = this.#branches.get(key);
    if (!known && this.#branches.size >= MAX_BRANCHES) return;
    const branch = known ?? new EarlyDialog(this.#options, state);
    branch.answer = sdp ?? branch.answer;
    if (hasToken(response, 'Require', '100rel') && sdp !== null) branch.isAnswered = true;
    if (known) return;
    this.#branches.set(key, branch);
    this.#options.context.dialogs.set(key, branch);
  }

  /**
   * The peer's latest description in the branch that sent this 2xx; null if there is none. The 2xx may omit a description, or
   * repeat one that is older than an offer.
   */
  descriptionIn(invite: SipRequest, response: SipResponse): string | null {
    const state = dialogOfResponse(invite, response);
    const branch = state && this.#branches.get(dialogKey(state.callId, state.localTag, state.remoteTag));
    return branch?.offer ?? sdpOf(response) ?? branch?.answer ?? this.#latest;
  }

  /** Call it when the INVITE has its final response. Established dialogs stay. */
  end(): void {
    for (const [key, branch] of this.#branches) this.#options.context.dialogs.remove(key, branch);
    this.#branches.clear();
  }
}

class EarlyDialog implements DialogParty {
  /** Whether the offer of the INVITE was answered by a reliable response, so that the peer may make another one. */
  isAnswered = false;
  /** The latest description in a provisional response. */
  answer: string | null = null;
  /** The peer's latest offer that was accepted. */
  offer: string | null = null;
  readonly peer: SipSource;
  readonly #options: EarlyDialogsOptions;
  #state: DialogState;

  constructor(options: EarlyDialogsOptions, state: DialogState) {
    this.peer = options.peer;
    this.#options = options;
    this.#state = state;
  }

  request(received: ReceivedRequest): void {
    const { message, envelope } = received;
    const transaction = serveWithin(this.#options.context, received);
    const respond = (status: number, reason: string, headers: SipHeaders = [], body = ''): void =>
      transaction.respond(responseTo(message, status, reason, { headers, body }));
    if (message.method !== 'UPDATE') {
      respond(481, NO_SUCH_CALL);
      return;
    }
    const state = withRemoteCSeq(this.#state, envelope.cseq.number);
    if (!state) {
      respond(500, 'Out of Order');
      return;
    }
    this.#state = state;
    if (isSessionTooShort(message)) {
      respond(422, 'Session Interval Too Small', MIN_SE);
      return;
    }
    const { context, reoffer } = this.#options;
    const headers = [...context.contact(this.peer, state.isSecure), ...ALLOW, ...SUPPORTED];
    const offer = sdpOf(message);
    if (offer === null) {
      respond(200, 'OK', headers);
      return;
    }
    // The offer of the INVITE is not answered yet.
    if (!this.isAnswered) {
      respond(491, 'Request Pending');
      return;
    }
    const answer = reoffer?.(offer) ?? null;
    if (answer === null) {
      respond(488, 'Not Acceptable Here');
      return;
    }
    this.offer = offer;
    respond(200, 'OK', [...headers, ...SDP], answer);
  }

  acknowledged(): void {
    // Nothing was accepted yet.
  }

  /** Only established dialogs are replaced. */
  replacedBy(): boolean {
    return false;
  }

  /** Does nothing, because the owner cancels the INVITE. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
