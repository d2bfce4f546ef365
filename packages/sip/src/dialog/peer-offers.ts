import { ALLOW, responseTo, SDP, SUPPORTED } from '../message/build.ts';
import type { SipHeaders } from '../message/headers.ts';
import { sdpOf, type SipRequest, type SipResponse } from '../message/message.ts';
import type { ServerTransaction } from '../transaction/transactions.ts';
import type { SessionDescriptions } from './session-descriptions.ts';
import type { SessionRefresh } from './session-refresh.ts';
import { sessionAnswerHeaders, sessionOfRequest } from './session-timer.ts';

interface PeerOffersOptions {
  sdp: SessionDescriptions;
  session: Pick<SessionRefresh, 'set' | 'isReinviting'>;
  contact: () => SipHeaders;
  /** Called when a request is accepted. It may have a new Contact. */
  onAccepted: (message: SipRequest) => void;
  /** Sends a 2xx until its ACK arrives; null if it does not arrive. */
  answerInvite: (transaction: ServerTransaction, response: SipResponse) => Promise<unknown>;
  hangUp: () => Promise<void>;
}

/** Answers the peer's INVITE and UPDATE requests within a dialog. */
export class PeerOffers {
  readonly #options: PeerOffersOptions;

  constructor(options: PeerOffersOptions) {
    this.#options = options;
  }

  async reinvited(message: SipRequest, transaction: ServerTransaction): Promise<void> {
    const { sdp, onAccepted, answerInvite, hangUp } = this.#options;
    const offer = sdpOf(message);
    const local = sdp.answerTo(offer);
    if (local === null) {
      transaction.respond(responseTo(message, 488, 'Not Acceptable Here'));
      return;
    }
    onAccepted(message);
    const { remote } = sdp;
    if (offer === null) sdp.remote = null;
    const ack = await answerInvite(transaction, this.#success(message, local));
    if (!ack) {
      await hangUp();
      return;
    }
    if (offer !== null) return;
    // An ACK without an answer changes nothing.
    if (sdp.remote === null) sdp.remote = remote;
    else sdp.handler?.takeAnswer(sdp.remote);
  }

  updated(message: SipRequest, transaction: ServerTransaction): void {
    const { sdp, session, onAccepted } = this.#options;
    const offer = sdpOf(message);
    // A local offer is not answered yet (RFC 3311, 5.2).
    if (offer !== null && (session.isReinviting || sdp.remote === null)) {
      transaction.respond(responseTo(message, 491, 'Request Pending'));
      return;
    }
    const local = offer === null ? '' : sdp.answerTo(offer);
    if (local === null) {
      transaction.respond(responseTo(message, 488, 'Not Acceptable Here'));
      return;
    }
    onAccepted(message);
    transaction.respond(this.#success(message, local));
  }

  #success(message: SipRequest, sdp: string): SipResponse {
    const session = sessionOfRequest(message);
    this.#options.session.set(session);
    const headers: SipHeaders = [
      ...this.#options.contact(),
      ...ALLOW,
      ...SUPPORTED,
      ...sessionAnswerHeaders(session),
      ...(sdp === '' ? [] : SDP),
    ];
    return responseTo(message, 200, 'OK', { headers, body: sdp });
  }
}
