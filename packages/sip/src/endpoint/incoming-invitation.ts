import type { CallContext } from '../call-context.ts';
import { SipError, type Dialog, type IncomingInvite, type SipParty, type SipSource } from '../calls.ts';
import { dialogKey, dialogOfRequest, withRemoteTarget, type DialogState } from '../dialog/dialog-state.ts';
import { DialogSession } from '../dialog/dialog-session.ts';
import { serveWithin, type DialogParty } from '../dialog/dialogs.ts';
import { ReliableResponse } from '../dialog/reliable-response.ts';
import { sessionAnswerHeaders, sessionOfRequest } from '../dialog/session-timer.ts';
import { ALLOW, copiedHeaders, newTag, responseTo, SDP, SUPPORTED } from '../message/build.ts';
import { hasToken, listOf, type SipHeaders } from '../message/headers.ts';
import { sdpOf, type SipRequest } from '../message/message.ts';
import type { ReceivedRequest } from '../message/received.ts';
import { isSipsUri } from '../message/uri.ts';
import type { ServerTransaction } from '../transaction/transactions.ts';
import { partyOf } from './address-uris.ts';

/** An INVITE that starts a call, until its final response. */
export class IncomingInvitation implements IncomingInvite, DialogParty {
  readonly callId: string;
  readonly requestUri: string;
  readonly from: SipParty;
  readonly to: SipParty;
  readonly headers: SipHeaders;
  readonly source: SipSource;
  readonly grant: string | null;
  readonly sdp: string | null;
  readonly cancelled: Promise<void>;
  readonly #context: CallContext;
  readonly #received: ReceivedRequest;
  readonly #transaction: ServerTransaction;
  readonly #localTag = newTag();
  readonly #key: string;
  #resolveCancelled: () => void = () => undefined;
  #state: DialogState;
  #provisional: ReliableResponse | null = null;
  #isSettled = false;

  constructor(context: CallContext, received: ReceivedRequest, grant: string | null) {
    const { message, envelope, source } = received;
    this.cancelled = new Promise((resolve) => {
      this.#resolveCancelled = resolve;
    });
    this.callId = envelope.callId;
    this.requestUri = message.uri;
    this.from = partyOf(envelope.from);
    this.to = partyOf(envelope.to);
    this.headers = message.headers;
    this.source = source;
    this.grant = grant;
    this.sdp = sdpOf(message);
    this.#context = context;
    this.#state = dialogOfRequest(message, this.#localTag);
    this.#received = received;
    this.#key = dialogKey(envelope.callId, this.#localTag, envelope.fromTag);
    this.#transaction = context.transactions.serveInvite(received, {
      onFailure: () => this.#cancel(),
      onCancel: () => this.#cancel(),
    });
    this.#transaction.respond(responseTo(message, 100, 'Trying'));
    context.dialogs.set(this.#key, this);
  }

  get peer(): SipSource {
    return this.source;
  }

  ring(): void {
    if (this.#isSettled) return;
    if (hasToken(this.#received.message, 'Require', '100rel')) this.#ringReliably();
    else this.#respond(180, 'Ringing', this.#dialogHeaders());
  }

  reject(status: number, reason: string, retryAfterS?: number): void {
    if (!this.#end()) return;
    this.#respond(status, reason, retryAfterS === undefined ? [] : [['Retry-After', String(retryAfterS)]]);
  }

  async accept(sdp: string): Promise<Dialog> {
    if (!this.#end()) throw new SipError('call_cancelled', 'the call was already cancelled or answered');
    const { message } = this.#received;
    const session = sessionOfRequest(message);
    const dialog = new DialogSession({
      context: this.#context,
      state: this.#state,
      credentials: null,
      peer: this.source,
      isDirect: listOf(message, 'Via').length === 1,
      localSdp: sdp,
      remoteSdp: this.sdp,
      session,
      hasUpdate: hasToken(message, 'Allow', 'UPDATE'),
      provisional: this.#provisional,
    });
    const headers = [...this.#dialogHeaders(), ...SUPPORTED, ...sessionAnswerHeaders(session), ...SDP];
    const parts = { toTag: this.#localTag, headers, body: sdp };
    const ack = await dialog.answerInvite(this.#transaction, responseTo(message, 200, 'OK', parts));
    if (ack && dialog.remoteSdp !== null) return dialog;
    void dialog.bye();
    const { by } = await dialog.ended;
    if (by === 'remote') throw new SipError('call_cancelled', 'the peer hung up before its ACK arrived');
    throw new SipError('not_acknowledged', 'the peer did not acknowledge the 200 response');
  }

  /**
   * A BYE may replace CANCEL (RFC 3261, 15.1.2). An UPDATE must not have an offer before the INVITE's offer is answered
   * (RFC 3311, 5.2). Apart from these and PRACK, no request is valid before the answer.
   */
  request(received: ReceivedRequest): void {
    const { message } = received;
    const isBye = message.method === 'BYE';
    const isPrack = message.method === 'PRACK';
    const isAccepted = isBye || (isPrack && this.#provisional?.takes(received) === true);
    const transaction = serveWithin(this.#context, received);
    if (isAccepted) transaction.respond(responseTo(message, 200, 'OK'));
    else if (message.method === 'UPDATE' && sdpOf(message) === null) this.#updated(message, transaction);
    else if (isPrack) transaction.respond(responseTo(message, 481, 'No Such Response'));
    else {
      const headers: SipHeaders = [['Retry-After', '1']];
      transaction.respond(responseTo(message, 500, 'Not Answered Yet', { headers }));
    }
    if (isBye) this.#cancel();
  }

  /** Applies an accepted UPDATE, which may have a new Contact. */
  #updated(message: SipRequest, transaction: ServerTransaction): void {
    this.#state = withRemoteTarget(this.#state, message);
    const contact = this.#context.contact(this.source, this.#state.isSecure);
    transaction.respond(responseTo(message, 200, 'OK', { headers: [...contact, ...ALLOW, ...SUPPORTED] }));
  }

  /** Only established dialogs are replaced. */
  replacedBy(): boolean {
    return false;
  }

  acknowledged(): void {
    // Nothing was accepted yet.
  }

  close(): Promise<void> {
    this.reject(503, 'Service Unavailable');
    return Promise.resolve();
  }

  /** Ends the invitation because the peer cancelled or does not acknowledge. */
  #cancel(status = 487, reason = 'Request Terminated'): void {
    if (!this.#end()) return;
    this.#respond(status, reason);
    this.#resolveCancelled();
  }

  /**
   * Sends 180 until its PRACK arrives; without one the INVITE fails (RFC 3262, 3). Without an offer of the peer, the first
   * reliable response would need one, so that is left to the 200.
   */
  #ringReliably(): void {
    if (this.sdp === null || this.#provisional) return;
    const { message, envelope } = this.#received;
    const provisional = new ReliableResponse(this.#context.clock, envelope.cseq.number);
    const headers = [...this.#dialogHeaders(), ...provisional.headers];
    const response = responseTo(message, 180, 'Ringing', { toTag: this.#localTag, headers });
    this.#provisional = provisional;
    void provisional
      .send(() => this.#transaction.respond(response))
      .then((isAcknowledged) => {
        if (!isAcknowledged) this.#cancel(504, 'No PRACK');
      });
  }

  #end(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#provisional?.stop();
    this.#context.dialogs.remove(this.#key, this);
    return true;
  }

  #dialogHeaders(): SipHeaders {
    const { message } = this.#received;
    const contact = this.#context.contact(this.source, isSipsUri(message.uri));
    return [...copiedHeaders(message, 'Record-Route'), ...contact, ...ALLOW];
  }

  #respond(status: number, reason: string, headers: SipHeaders = []): void {
    const parts = { toTag: this.#localTag, headers };
    this.#transaction.respond(responseTo(this.#received.message, status, reason, parts));
  }
}
