import type { CallContext } from '../call-context.ts';
import type { OutgoingInvite, SipSource } from '../calls.ts';
import { ALLOW, responseTo, SDP, SUPPORTED } from '../message/build.ts';
import { hasToken, type SipHeaders } from '../message/headers.ts';
import { sdpOf, type SipRequest, type SipResponse } from '../message/message.ts';
import type { ReceivedRequest } from '../message/received.ts';
import { advanced, dialogKey, dialogOfResponse, type DialogState } from './dialog-state.ts';
import { serveWithin, type DialogParty } from './dialogs.ts';
import { isSessionTooShort, MIN_SE } from './session-timer.ts';

/** Maximum number of forked branches whose requests are answered. */
const MAX_BRANCHES = 8;
const NO_SUCH_CALL = 'Call/Transaction Does Not Exist';

interface EarlyDialogsOptions {
  context: CallContext;
  peer: SipSource;
  reoffer: OutgoingInvite['reoffer'];
  /** The peer made an offer, which was answered. */
  onOffer: (sdp: string) => void;
}

/**
 * The branches of an outgoing INVITE that sent provisional responses, until its final response. Answers their UPDATE
 * requests (RFC 3311).
 */
export class EarlyDialogs {
  readonly #options: EarlyDialogsOptions;
  readonly #branches = new Map<string, EarlyDialog>();

  constructor(options: EarlyDialogsOptions) {
    this.#options = options;
  }

  /** A provisional response has arrived. */
  responded(invite: SipRequest, response: SipResponse): void {
    const state = dialogOfResponse(invite, response);
    if (!state) return;
    const key = dialogKey(state.callId, state.localTag, state.remoteTag);
    const known = this.#branches.get(key);
    if (!known && this.#branches.size >= MAX_BRANCHES) return;
    const branch = known ?? new EarlyDialog(this.#options, state);
    if (hasToken(response, 'Require', '100rel') && sdpOf(response) !== null) branch.isAnswered = true;
    if (known) return;
    this.#branches.set(key, branch);
    this.#options.context.dialogs.set(key, branch);
  }

  /** The INVITE has its final response. Established dialogs stay. */
  end(): void {
    for (const [key, branch] of this.#branches) this.#options.context.dialogs.remove(key, branch);
    this.#branches.clear();
  }
}

class EarlyDialog implements DialogParty {
  /** Whether the offer of the INVITE was answered by a reliable response, so that the peer may make another one. */
  isAnswered = false;
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
    const state = advanced(this.#state, envelope.cseq.number);
    if (!state) {
      respond(500, 'Out of Order');
      return;
    }
    this.#state = state;
    if (isSessionTooShort(message)) {
      respond(422, 'Session Interval Too Small', MIN_SE);
      return;
    }
    const { context, reoffer, onOffer } = this.#options;
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
    onOffer(offer);
    respond(200, 'OK', [...headers, ...SDP], answer);
  }

  acknowledged(): void {
    // Nothing was accepted yet.
  }

  /** Only established dialogs are replaced. */
  replacedBy(): boolean {
    return false;
  }

  /** The INVITE is cancelled by its owner. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
