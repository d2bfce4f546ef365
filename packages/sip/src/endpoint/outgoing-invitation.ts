import type { Timer } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { CallContext } from '../call-context.ts';
import {
  SipError,
  type CallFailure,
  type OutgoingAnswer,
  type OutgoingCall,
  type OutgoingInvite,
  type SipSource,
} from '../calls.ts';
import { dialogOfResponse } from '../dialog/dialog-state.ts';
import { DialogSession } from '../dialog/dialog-session.ts';
import { Authenticator } from '../digest/authenticator.ts';
import { ALLOW, cancellationOf, newTag, SDP } from '../message/build.ts';
import { listOf, type SipHeaders } from '../message/headers.ts';
import { sdpOf, type SipRequest, type SipResponse } from '../message/message.ts';
import { readNameAddress, type NameAddress } from '../message/name-address.ts';
import { isSipsUri, readSipUri } from '../message/uri.ts';
import type { TransactionFailure } from '../transaction/machine.ts';
import type { InviteClient } from '../transaction/transactions.ts';
import { readParty, requestUri, taggedParty } from './address-uris.ts';

/** An outbound INVITE until it is answered, refused or cancelled. Answers challenges and follows one redirection. */
export class OutgoingInvitation implements OutgoingCall {
  readonly callId = newId();
  readonly answered: Promise<OutgoingAnswer>;
  readonly #context: CallContext;
  readonly #invite: OutgoingInvite;
  /** Null if the address is malformed. */
  readonly #to: NameAddress | null;
  readonly #from: NameAddress | null;
  readonly #settle: (answer: OutgoingAnswer) => void;
  readonly #authenticator: Authenticator;
  readonly #localTag = newTag();
  readonly #ringLimit: Timer;
  /** Functions that acknowledge the 2xx of each forked branch, by its tag. */
  readonly #acknowledgers = new Map<string, () => void>();
  #cseq = 0;
  #hasRedirected = false;
  #isSettled = false;
  /** The pending INVITE. */
  #client: InviteClient | null = null;
  #peer: SipSource | null = null;
  /** The description of a provisional response: peers may omit it from the 2xx that follows. */
  #earlySdp: string | null = null;
  #isProceeding = false;
  #isCancelled = false;

  constructor(context: CallContext, invite: OutgoingInvite) {
    const { promise, resolve } = Promise.withResolvers<OutgoingAnswer>();
    this.answered = promise;
    this.#settle = resolve;
    this.#context = context;
    this.#invite = invite;
    this.#to = readParty(invite.to);
    this.#from = readParty(invite.from);
    this.#authenticator = new Authenticator(invite.credentials);
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
      const peers = await this.#context.peersOf(uri, { owner: this.#invite.owner });
      this.#inviteOneOf(peers, uri, []);
    } catch (thrown) {
      this.#unreachable(thrown);
    }
  }

  /** Tries the peers in order until one is reachable and has room. */
  #inviteOneOf(peers: readonly SipSource[], uri: string, answers: SipHeaders): void {
    const [peer, ...others] = peers;
    if (this.#isSettled) return;
    try {
      if (!peer) throw new SipError('unreachable', 'the peer could not be reached');
      this.#isProceeding = false;
      this.#peer = peer;
      const request = this.#request(uri, peer, answers);
      const client: InviteClient = this.#context.transactions.invite(request, peer, {
        onResponse: (response) => this.#onResponse(client.request, peers, response),
        onFailure: (cause) => this.#lost(cause, () => this.#inviteOneOf(others, uri, answers)),
      });
      this.#client = client;
    } catch (thrown) {
      this.#unreachable(thrown);
    }
  }

  #request(uri: string, peer: SipSource, answers: SipHeaders): SipRequest {
    this.#cseq += 1;
    return {
      kind: 'request',
      method: 'INVITE',
      uri,
      headers: [
        ['Max-Forwards', '70'],
        ['From', this.#from ? taggedParty(this.#from, this.#localTag) : ''],
        ['To', this.#to ? taggedParty(this.#to, null) : ''],
        ['Call-ID', this.callId],
        ['CSeq', `${this.#cseq} INVITE`],
        ...this.#context.contact(peer.transport, isSipsUri(uri)),
        ...answers,
        ...ALLOW,
        ...SDP,
      ],
      body: this.#invite.sdp,
    };
  }

  #onResponse(request: SipRequest, peers: readonly SipSource[], response: SipResponse): void {
    const { status, reason } = response;
    const [peer, ...others] = peers;
    if (status < 200) {
      this.#earlySdp = sdpOf(response) ?? this.#earlySdp;
      const isFirst = !this.#isProceeding;
      this.#isProceeding = true;
      if (isFirst && this.#isCancelled) this.#sendCancel();
      return;
    }
    if (status < 300 && peer) {
      this.#accepted(request, peer, response);
      return;
    }
    this.#client = null;
    if (this.#isSettled) return;
    const next = this.#redirection(request, response);
    const answers = this.#authenticator.answers(response, request);
    if (answers) this.#inviteOneOf(peers, request.uri, answers);
    else if (next !== null) void this.#inviteTo(next);
    else if (status === 503 && others.length > 0) this.#inviteOneOf(others, request.uri, []);
    else this.#fail({ cause: 'refused', status, reason });
  }

  /**
   * The first 2xx establishes the call. Answers of other forked branches, and answers to a cancelled call, are hung up.
   */
  #accepted(request: SipRequest, peer: SipSource, response: SipResponse): void {
    const state = dialogOfResponse(request, response);
    if (!state) {
      this.#fail({ cause: 'faulty', status: null, reason: 'the answer has no tag' });
      return;
    }
    const repeated = this.#acknowledgers.get(state.remoteTag);
    if (repeated) {
      repeated();
      return;
    }
    const sdp = sdpOf(response) ?? this.#earlySdp;
    const { credentials, sdp: localSdp } = this.#invite;
    const dialog = new DialogSession({
      context: this.#context,
      state,
      credentials,
      peer,
      isDirect: false,
      localSdp,
      remoteSdp: sdp,
    });
    const acknowledge = dialog.acknowledge(request);
    this.#acknowledgers.set(state.remoteTag, acknowledge);
    acknowledge();
    if (!this.#isSettled && sdp !== null) {
      this.#finish({ kind: 'answered', sdp, dialog });
      return;
    }
    void dialog.bye();
    this.#fail({ cause: 'faulty', status: null, reason: 'the answer has no session description' });
  }

  /** The target of a 3xx; at most one redirection, and only to the same host. */
  #redirection(request: SipRequest, response: SipResponse): string | null {
    if (response.status < 300 || response.status >= 400 || this.#hasRedirected) return null;
    const uri = readNameAddress(listOf(response, 'Contact')[0] ?? '')?.uri ?? '';
    const host = readSipUri(uri)?.host.toLowerCase();
    const asked = readSipUri(request.uri)?.host.toLowerCase();
    if (host === undefined || host !== asked) return null;
    this.#hasRedirected = true;
    return uri;
  }

  #lost(cause: TransactionFailure, tryNext: () => void): void {
    this.#client = null;
    if (cause === 'transport') tryNext();
    else this.#unreachable(new SipError('unreachable', 'the peer does not respond'));
  }

  #giveUp(failure: CallFailure): void {
    if (this.#isSettled) return;
    this.#isCancelled = true;
    this.#fail(failure);
    if (this.#isProceeding) this.#sendCancel();
  }

  /** Sends CANCEL. Called only after a provisional response has arrived (RFC 3261, 9.1). */
  #sendCancel(): void {
    const client = this.#client;
    if (!client || !this.#peer) return;
    this.#context.transactions.request(cancellationOf(client.request), this.#peer, {
      onResponse: () => undefined,
      onFailure: () => undefined,
    });
    client.cancelled();
  }

  #unreachable(thrown: unknown): void {
    const reason = Error.isError(thrown) ? thrown.message : 'the peer could not be reached';
    this.#fail({ cause: 'unreachable', status: null, reason });
  }

  #fail(failure: CallFailure): void {
    this.#finish({ kind: 'failed', ...failure });
  }

  #finish(answer: OutgoingAnswer): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#ringLimit.cancel();
    this.#settle(answer);
  }
}
