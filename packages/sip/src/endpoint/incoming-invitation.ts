import type { CallContext } from '../call-context.ts';
import { SipError, type Dialog, type IncomingInvite, type SipParty, type SipSource } from '../calls.ts';
import { dialogKey, dialogOfRequest } from '../dialog/dialog-state.ts';
import { DialogSession } from '../dialog/dialog-session.ts';
import { serveWithin, type DialogParty } from '../dialog/dialogs.ts';
import { sessionTimerHeaders } from '../dialog/dialog-requests.ts';
import { ALLOW, copied, newTag, responseTo, SDP, SUPPORTED } from '../message/build.ts';
import { listOf, type SipHeaders } from '../message/headers.ts';
import { sdpOf } from '../message/message.ts';
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
  readonly sdp: string | null;
  readonly cancelled: Promise<void>;
  readonly #context: CallContext;
  readonly #received: ReceivedRequest;
  readonly #transaction: ServerTransaction;
  readonly #localTag = newTag();
  readonly #key: string;
  #resolveCancelled: () => void = () => undefined;
  #isSettled = false;

  constructor(context: CallContext, received: ReceivedRequest) {
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
    this.sdp = sdpOf(message);
    this.#context = context;
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
    if (!this.#isSettled) this.#respond(180, 'Ringing', this.#dialogHeaders());
  }

  reject(status: number, reason: string, retryAfterS?: number): void {
    if (!this.#end()) return;
    this.#respond(status, reason, retryAfterS === undefined ? [] : [['Retry-After', String(retryAfterS)]]);
  }

  async accept(sdp: string): Promise<Dialog> {
    if (!this.#end()) throw new SipError('call_cancelled', 'the call was already cancelled or answered');
    const { message } = this.#received;
    const dialog = new DialogSession({
      context: this.#context,
      state: dialogOfRequest(message, this.#localTag),
      credentials: null,
      peer: this.source,
      isDirect: listOf(message, 'Via').length === 1,
      localSdp: sdp,
      remoteSdp: this.sdp,
    });
    const headers = [...this.#dialogHeaders(), ...SUPPORTED, ...sessionTimerHeaders(message), ...SDP];
    const parts = { toTag: this.#localTag, headers, body: sdp };
    const ack = await dialog.answerInvite(this.#transaction, responseTo(message, 200, 'OK', parts));
    if (ack && dialog.remoteSdp !== null) return dialog;
    void dialog.bye();
    throw new SipError('not_acknowledged', 'the peer did not acknowledge the answer');
  }

  /** A BYE may replace CANCEL (RFC 3261, 15.1.2). No other request is valid before the answer. */
  request(received: ReceivedRequest): void {
    const { message } = received;
    const isBye = message.method === 'BYE';
    serveWithin(this.#context, received).respond(
      isBye
        ? responseTo(message, 200, 'OK')
        : responseTo(message, 500, 'Not Answered Yet', { headers: [['Retry-After', '1']] }),
    );
    if (isBye) this.#cancel();
  }

  acknowledged(): void {
    // Nothing was accepted yet.
  }

  close(): Promise<void> {
    this.reject(503, 'Service Unavailable');
    return Promise.resolve();
  }

  /** The peer cancelled. */
  #cancel(): void {
    if (!this.#end()) return;
    this.#respond(487, 'Request Terminated');
    this.#resolveCancelled();
  }

  #end(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#context.dialogs.remove(this.#key, this);
    return true;
  }

  #dialogHeaders(): SipHeaders {
    const { message } = this.#received;
    const contact = this.#context.contact(this.source.transport, isSipsUri(message.uri));
    return [...copied(message, 'Record-Route'), ...contact, ...ALLOW];
  }

  #respond(status: number, reason: string, headers: SipHeaders = []): void {
    const parts = { toTag: this.#localTag, headers };
    this.#transaction.respond(responseTo(this.#received.message, status, reason, parts));
  }
}
