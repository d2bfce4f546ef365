import type { CallContext } from '../call-context.ts';
import type {
  Dialog,
  DialogEnd,
  DialogHandlers,
  IncomingInvite,
  ReinviteHandler,
  SipCredentials,
  SipSource,
} from '../calls.ts';
import { ALLOW, responseTo, SDP, SUPPORTED } from '../message/build.ts';
import type { SipHeaders } from '../message/headers.ts';
import { sdpOf, type SipRequest, type SipResponse } from '../message/message.ts';
import type { ReceivedRequest } from '../message/received.ts';
import type { ServerTransaction } from '../transaction/transactions.ts';
import { DialogRequests } from './dialog-requests.ts';
import { advanced, dialogKey, retargeted, type DialogState } from './dialog-state.ts';
import { serveWithin, type DialogParty } from './dialogs.ts';
import { respondToInfo } from './info-key.ts';
import { PeerReferrals } from './peer-referrals.ts';
import { Referral } from './referral.ts';
import type { ReliableResponse } from './reliable-response.ts';
import { RepeatedAnswer } from './repeated-answer.ts';
import { isDialogLost, SessionRefresh } from './session-refresh.ts';
import {
  isSessionTooShort,
  MIN_SE,
  sessionAnswerHeaders,
  sessionOfRequest,
  type SessionInterval,
} from './session-timer.ts';

export interface DialogSessionOptions {
  context: CallContext;
  state: DialogState;
  credentials: SipCredentials | null;
  /** Source of the INVITE or of the 2xx. */
  peer: SipSource;
  /** Whether the peer itself sent it from there, with no proxy between. */
  isDirect: boolean;
  localSdp: string;
  remoteSdp: string | null;
  /** Null without a session timer. */
  session: SessionInterval | null;
  /** Whether the peer accepts UPDATE. */
  hasUpdate: boolean;
  /** A provisional response whose PRACK may still arrive. */
  provisional?: ReliableResponse | null;
}

/** An established dialog, from the first 2xx to BYE. */
export class DialogSession implements Dialog, DialogParty {
  readonly callId: string;
  readonly ended: Promise<DialogEnd>;
  readonly #context: CallContext;
  readonly #key: string;
  readonly #requests: DialogRequests;
  readonly #resolveEnded: (end: DialogEnd) => void;
  #state: DialogState;
  #peer: SipSource;
  #localSdp: string;
  #remoteSdp: string | null;
  #handler: ReinviteHandler | null = null;
  readonly #referrals: PeerReferrals;
  #handlers: DialogHandlers | null = null;
  #answer: RepeatedAnswer | null = null;
  /** The last ACK while it is being sent. Later messages of the dialog wait for it. */
  #acknowledging: Promise<void> | null = null;
  #bye: Promise<void> | null = null;
  #hasEnded = false;
  /** The latest REFER. */
  #referral: Referral | null = null;

  readonly #session: SessionRefresh;
  readonly #provisional: ReliableResponse | null;

  constructor(options: DialogSessionOptions) {
    const { context, state, credentials, peer, isDirect, localSdp, remoteSdp } = options;
    const { promise, resolve } = Promise.withResolvers<DialogEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    this.callId = state.callId;
    this.#peer = peer;
    this.#context = context;
    this.#state = state;
    this.#key = dialogKey(state.callId, state.localTag, state.remoteTag);
    this.#localSdp = localSdp;
    this.#remoteSdp = remoteSdp;
    this.#requests = new DialogRequests({
      context,
      credentials,
      peer: () => this.#peer,
      isDirect,
      state: () => this.#state,
      nextCSeq: () => this.#nextCSeq(),
      onInviteSuccess: (invite, response) => {
        this.#state = retargeted(this.#state, response);
        return this.acknowledge(invite);
      },
    });
    this.#referrals = new PeerReferrals({
      contact: () => this.#contact(),
      notify: async (headers, body) => {
        if (!this.#hasEnded) await this.#requests.ask('NOTIFY', { headers, body });
      },
    });
    this.#provisional = options.provisional ?? null;
    this.#session = new SessionRefresh({
      context,
      requests: this.#requests,
      hasUpdate: options.hasUpdate,
      contact: () => this.#contact(),
      localSdp: () => this.#localSdp,
      ready: async () => {
        await this.#acknowledging;
        return this.#answer === null;
      },
      onRefreshed: (response, sdp) => this.#refreshed(response, sdp),
      onExpired: () => {
        this.#end('lost');
        void this.#requests.ask('BYE');
      },
    });
    this.#session.set(options.session);
    context.dialogs.set(this.#key, this);
  }

  get peer(): SipSource {
    return this.#peer;
  }

  get remoteSdp(): string | null {
    return this.#remoteSdp;
  }

  async info(contentType: string, body: string): Promise<boolean> {
    if (this.#hasEnded) return false;
    await this.#acknowledging;
    const headers: SipHeaders = [...this.#contact(), ['Content-Type', contentType]];
    const response = await this.#requests.ask('INFO', { headers, body });
    if (response && isDialogLost(response)) this.#end('lost');
    return response !== null && response.status < 300;
  }

  handle(handlers: DialogHandlers): void {
    this.#handlers = handlers;
    this.#referrals.handler = (referral) => handlers.onRefer(referral);
  }

  replacedBy(invite: IncomingInvite): boolean {
    this.#handlers?.onReplaced(invite);
    return this.#handlers !== null;
  }

  onReinvite(handler: ReinviteHandler): void {
    this.#handler = handler;
  }

  bye(): Promise<void> {
    this.#bye ??= this.#hangUp();
    return this.#bye;
  }

  close(): Promise<void> {
    return this.bye();
  }

  async refer(target: string): Promise<boolean> {
    if (this.#hasEnded) return false;
    const referral = new Referral(this.#context.clock);
    this.#referral?.settle(false);
    this.#referral = referral;
    await this.#acknowledging;
    const headers: SipHeaders = [...this.#contact(), ['Refer-To', `<${target}>`]];
    const response = await this.#requests.ask('REFER', { headers });
    if (response && isDialogLost(response)) this.#end('lost');
    if (!response || response.status >= 300) referral.settle(false);
    else referral.accepted();
    return referral.succeeded;
  }

  /** Sends a 2xx to an INVITE of the dialog until its ACK arrives; null if it does not arrive. */
  async answerInvite(transaction: ServerTransaction, response: SipResponse): Promise<ReceivedRequest | null> {
    const answer = new RepeatedAnswer(this.#context.clock, () => transaction.respond(response));
    this.#answer = answer;
    const ack = await answer.acknowledged;
    this.#answer = null;
    if (ack && this.#remoteSdp === null) this.#remoteSdp = sdpOf(ack.message);
    return ack;
  }

  acknowledged(received: ReceivedRequest): void {
    this.#answer?.settle(received);
  }

  /** Returns a function that sends the ACK of a 2xx. Call it for each copy of that 2xx. */
  acknowledge(invite: SipRequest): () => void {
    const send = this.#requests.acknowledgement(invite);
    return () => {
      this.#acknowledging = send();
    };
  }

  request(received: ReceivedRequest): void {
    const { message, envelope, source } = received;
    const transaction = serveWithin(this.#context, received);
    const respond = (status: number, reason: string, headers: SipHeaders = []): void =>
      transaction.respond(responseTo(message, status, reason, { headers }));
    const state = advanced(this.#state, envelope.cseq.number);
    if (!state) {
      respond(500, 'Out of Order');
      return;
    }
    this.#state = state;
    if (['INVITE', 'UPDATE'].includes(message.method) && isSessionTooShort(message)) {
      respond(422, 'Session Interval Too Small', MIN_SE);
      return;
    }
    // A NAT may have mapped the peer to another port. A host whose certificate was verified can be connected to again.
    if (this.#peer.serverName === undefined || source.address !== this.#peer.address) this.#peer = source;
    switch (message.method) {
      case 'BYE':
        respond(200, 'OK');
        this.#end('remote');
        return;
      case 'INVITE':
        // The previous 2xx has not been acknowledged, or both sides sent an INVITE.
        if (this.#answer || this.#session.isReinviting) respond(491, 'Request Pending');
        else void this.#reinvited(message, transaction);
        return;
      case 'UPDATE':
        this.#updated(message, transaction);
        return;
      case 'OPTIONS':
        respond(200, 'OK', [...ALLOW, ...SUPPORTED]);
        return;
      case 'NOTIFY':
        if (!this.#referral) {
          respond(481, 'Subscription Does Not Exist');
          return;
        }
        respond(200, 'OK');
        this.#referral.reported(message.body);
        return;
      case 'REFER':
        this.#referrals.take(message, respond);
        return;
      case 'INFO':
        respondToInfo(message, respond, (key) => this.#handlers?.onKey(key));
        return;
      case 'PRACK':
        if (this.#provisional?.takes(received)) respond(200, 'OK');
        else respond(481, 'No Such Response');
        return;
      default:
        respond(405, 'Method Not Allowed', ALLOW);
    }
  }

  async #reinvited(message: SipRequest, transaction: ServerTransaction): Promise<void> {
    const offer = sdpOf(message);
    const sdp = this.#answerTo(offer);
    if (sdp === null) {
      transaction.respond(responseTo(message, 488, 'Not Acceptable Here'));
      return;
    }
    this.#state = retargeted(this.#state, message);
    if (offer === null) this.#remoteSdp = null;
    const ack = await this.answerInvite(transaction, this.#success(message, sdp));
    if (!ack) {
      await this.bye();
      return;
    }
    if (offer === null && this.#remoteSdp !== null) this.#handler?.takeAnswer(this.#remoteSdp);
  }

  #updated(message: SipRequest, transaction: ServerTransaction): void {
    const offer = sdpOf(message);
    const sdp = offer === null ? '' : this.#answerTo(offer);
    if (sdp === null) {
      transaction.respond(responseTo(message, 488, 'Not Acceptable Here'));
      return;
    }
    this.#state = retargeted(this.#state, message);
    transaction.respond(this.#success(message, sdp));
  }

  /** The local answer to the peer's offer, or a local offer if `offer` is null. Null rejects. */
  #answerTo(offer: string | null): string | null {
    const sdp = this.#handler ? this.#handler.reoffer(offer) : this.#localSdp;
    if (sdp === null) return null;
    this.#localSdp = sdp;
    if (offer !== null) this.#remoteSdp = offer;
    return sdp;
  }

  #success(message: SipRequest, sdp: string): SipResponse {
    const session = sessionOfRequest(message);
    this.#session.set(session);
    const headers: SipHeaders = [
      ...this.#contact(),
      ...ALLOW,
      ...SUPPORTED,
      ...sessionAnswerHeaders(session),
      ...(sdp === '' ? [] : SDP),
    ];
    return responseTo(message, 200, 'OK', { headers, body: sdp });
  }

  #contact(): SipHeaders {
    return this.#context.contact(this.peer.transport, this.#state.isSecure);
  }

  #refreshed(response: SipResponse, sdp: string | null): void {
    this.#state = retargeted(this.#state, response);
    if (sdp === null || sdp === this.#remoteSdp) return;
    this.#remoteSdp = sdp;
    this.#handler?.takeAnswer(sdp);
  }

  async #hangUp(): Promise<void> {
    if (this.#hasEnded) return;
    this.#end('local');
    await this.#acknowledging;
    await this.#requests.ask('BYE');
  }

  #end(by: DialogEnd['by']): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // A peer may hang up once the target has answered.
    this.#referral?.settle(by === 'remote');
    this.#answer?.settle(null);
    this.#session.stop();
    this.#context.dialogs.remove(this.#key, this);
    this.#resolveEnded({ by });
  }

  #nextCSeq(): number {
    const localCSeq = this.#state.localCSeq + 1;
    this.#state = { ...this.#state, localCSeq };
    return localCSeq;
  }
}
