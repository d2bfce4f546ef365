import type { CallContext } from '../call-context.ts';
import type {
  DialogEnd,
  DialogHandlers,
  DialogSnapshot,
  IncomingInvite,
  ReinviteHandler,
  ResumedDialog,
  SipCredentials,
  SipSource,
} from '../calls.ts';
import { ALLOW, responseTo, SUPPORTED } from '../message/build.ts';
import type { SipHeaders } from '../message/headers.ts';
import { sdpOf, type SipRequest, type SipResponse } from '../message/message.ts';
import type { ReceivedRequest } from '../message/received.ts';
import type { ServerTransaction } from '../transaction/transactions.ts';
import { DialogRequests } from './dialog-requests.ts';
import { withRemoteCSeq, dialogKey, withRemoteTarget, type DialogState } from './dialog-state.ts';
import { serveWithin, type DialogParty } from './dialogs.ts';
import { respondToInfo } from './info-key.ts';
import { PeerOffers } from './peer-offers.ts';
import { PeerReferrals } from './peer-referrals.ts';
import { OwnReferrals } from './own-referrals.ts';
import { ReleasedDialog } from './released-dialog.ts';
import type { ReliableResponse } from './reliable-response.ts';
import { InviteResponses } from './invite-responses.ts';
import { SessionDescriptions } from './session-descriptions.ts';
import { isDialogLost, SessionRefresh } from './session-refresh.ts';
import { isSessionTooShort, MIN_SE, sessionOfResponse, type SessionInterval } from './session-timer.ts';

export interface DialogSessionOptions {
  context: CallContext;
  state: DialogState;
  credentials: SipCredentials | null;
  /** Source of the INVITE or of the 2xx. */
  peer: SipSource;
  /** Whether the peer sent it directly, without a proxy in between. */
  isDirect: boolean;
  /** Whether the peer can be reached over the connection of its last message. Default: true. */
  hasConnection?: boolean;
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
export class DialogSession implements ResumedDialog, DialogParty {
  readonly callId: string;
  readonly ended: Promise<DialogEnd>;
  readonly #context: CallContext;
  readonly #key: string;
  readonly #requests: DialogRequests;
  readonly #resolveEnded: (end: DialogEnd) => void;
  readonly #options: Pick<DialogSessionOptions, 'credentials' | 'isDirect' | 'hasUpdate'>;
  #currentState: DialogState;
  #peer: SipSource;
  #hasConnection: boolean;
  readonly #sdp: SessionDescriptions;
  #onChanged: (() => void) | null = null;
  readonly #referrals: PeerReferrals;
  #handlers: DialogHandlers | null = null;
  readonly #inviteResponses: InviteResponses;
  /** The last ACK while it is being sent. Later messages of the dialog wait for it. */
  #acknowledging: Promise<void> | null = null;
  #bye: Promise<void> | null = null;
  #hasEnded = false;
  readonly #ownReferrals: OwnReferrals;
  readonly #session: SessionRefresh;
  readonly #offers: PeerOffers;
  readonly #provisional: ReliableResponse | null;

  constructor(options: DialogSessionOptions) {
    const { context, state, credentials, peer, isDirect, hasUpdate, localSdp, remoteSdp } = options;
    const { promise, resolve } = Promise.withResolvers<DialogEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    this.callId = state.callId;
    this.#peer = peer;
    this.#hasConnection = options.hasConnection ?? true;
    this.#context = context;
    this.#options = { credentials, isDirect, hasUpdate };
    this.#currentState = state;
    this.#key = dialogKey(state.callId, state.localTag, state.remoteTag);
    this.#sdp = new SessionDescriptions(localSdp, remoteSdp);
    this.#inviteResponses = new InviteResponses(context.clock);
    this.#requests = new DialogRequests({
      context,
      credentials,
      peer: () => this.#peer,
      isDirect,
      isConnected: () => this.#hasConnection,
      state: () => this.#state,
      nextCSeq: () => this.#nextCSeq(),
      onInviteSuccess: (invite, response) => {
        this.#state = withRemoteTarget(this.#state, response);
        return this.acknowledge(invite);
      },
    });
    this.#referrals = new PeerReferrals({
      contact: () => this.#contact(),
      notify: async (headers, body) => {
        if (!this.#hasEnded) await this.#requests.send('NOTIFY', { headers, body });
      },
    });
    this.#ownReferrals = new OwnReferrals({
      clock: context.clock,
      send: (referTo) => this.#send('REFER', [['Refer-To', referTo]]),
    });
    this.#provisional = options.provisional ?? null;
    this.#session = new SessionRefresh({
      context,
      requests: this.#requests,
      hasUpdate,
      contact: () => this.#contact(),
      localSdp: () => this.#sdp.local,
      ready: async () => {
        await this.#acknowledging;
        return !this.#inviteResponses.isPending;
      },
      onRefreshed: (response, sdp) => this.#refreshed(response, sdp),
      onExpired: () => {
        this.#end('lost');
        void this.#requests.send('BYE');
      },
    });
    this.#session.set(options.session);
    this.#offers = new PeerOffers({
      sdp: this.#sdp,
      session: this.#session,
      contact: () => this.#contact(),
      onAccepted: (message) => {
        this.#state = withRemoteTarget(this.#state, message);
      },
      answerInvite: (transaction, response) => this.answerInvite(transaction, response),
      hangUp: () => this.bye(),
    });
    context.dialogs.set(this.#key, this);
  }

  get peer(): SipSource {
    return this.#peer;
  }

  get remoteSdp(): string | null {
    return this.#sdp.remote;
  }

  snapshot(): DialogSnapshot {
    const { credentials, isDirect, hasUpdate } = this.#options;
    const session = this.#session.interval;
    const hasCredentials = credentials !== null;
    return { ...this.#state, peer: this.#peer, isDirect, hasCredentials, hasUpdate, session };
  }

  onChanged(handler: () => void): void {
    this.#onChanged = handler;
  }

  release(): void {
    if (this.#hasEnded) return;
    this.#end('released');
    new ReleasedDialog(this.#context, this.#key, this.#peer);
  }

  async move(sdp: string, limitMs: number): Promise<string | null> {
    this.#sdp.local = sdp;
    const response = await this.#session.move(limitMs, this.ended);
    const answer = response && sdpOf(response);
    if (this.#hasEnded) return null;
    if (response && answer !== null) {
      this.#sdp.remote = answer;
      this.#session.set(sessionOfResponse(response));
      return answer;
    }
    this.#end('lost');
    void this.#requests.send('BYE');
    return null;
  }

  async info(contentType: string, body: string): Promise<boolean> {
    const response = await this.#send('INFO', [['Content-Type', contentType]], body);
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
    this.#sdp.handler = handler;
  }

  bye(): Promise<void> {
    this.#bye ??= this.#hangUp();
    return this.#bye;
  }

  close(): Promise<void> {
    return this.bye();
  }

  refer(target: string): Promise<boolean> {
    return this.#hasEnded ? Promise.resolve(false) : this.#ownReferrals.refer(target);
  }

  /** Sends a 2xx to an INVITE of the dialog until its ACK arrives; null if it does not arrive. */
  async answerInvite(transaction: ServerTransaction, response: SipResponse): Promise<ReceivedRequest | null> {
    const ack = await this.#inviteResponses.send(transaction, response);
    if (ack && this.#sdp.remote === null) this.#sdp.remote = sdpOf(ack.message);
    return ack;
  }

  acknowledged(received: ReceivedRequest): void {
    this.#inviteResponses.acknowledged(received);
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
    const state = withRemoteCSeq(this.#state, envelope.cseq.number);
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
    this.#hasConnection = true;
    switch (message.method) {
      case 'BYE':
        respond(200, 'OK');
        this.#end('remote');
        return;
      case 'INVITE':
        // The previous 2xx has not been acknowledged, or both sides sent an INVITE.
        if (this.#inviteResponses.isPending || this.#session.isReinviting) respond(491, 'Request Pending');
        else void this.#offers.reinvited(message, transaction);
        return;
      case 'UPDATE':
        this.#offers.updated(message, transaction);
        return;
      case 'OPTIONS':
        respond(200, 'OK', [...ALLOW, ...SUPPORTED]);
        return;
      case 'NOTIFY':
        if (this.#ownReferrals.reported(message)) respond(200, 'OK');
        else respond(481, 'Subscription Does Not Exist');
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

  #contact(): SipHeaders {
    return this.#context.contact(this.peer, this.#state.isSecure);
  }

  #refreshed(response: SipResponse, sdp: string | null): void {
    this.#state = withRemoteTarget(this.#state, response);
    if (sdp !== null) this.#sdp.takeAnswer(sdp);
  }

  /** Sends a request unless the dialog has ended; ends it if the peer no longer has it. */
  async #send(method: string, headers: SipHeaders, body = ''): Promise<SipResponse | null> {
    if (this.#hasEnded) return null;
    await this.#acknowledging;
    const response = await this.#requests.send(method, { headers: [...this.#contact(), ...headers], body });
    if (response && isDialogLost(response)) this.#end('lost');
    return response;
  }

  async #hangUp(): Promise<void> {
    if (this.#hasEnded) return;
    this.#end('local');
    await this.#acknowledging;
    await this.#requests.send('BYE');
  }

  #end(by: DialogEnd['by']): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // A peer may hang up once the target has answered.
    this.#ownReferrals.settle(by === 'remote');
    this.#inviteResponses.stop();
    this.#session.stop();
    this.#context.dialogs.remove(this.#key, this);
    this.#resolveEnded({ by });
  }

  get #state(): DialogState {
    return this.#currentState;
  }

  set #state(state: DialogState) {
    this.#currentState = state;
    this.#onChanged?.();
  }

  #nextCSeq(): number {
    const localCSeq = this.#state.localCSeq + 1;
    this.#state = { ...this.#state, localCSeq };
    return localCSeq;
  }
}
