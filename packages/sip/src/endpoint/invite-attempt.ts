import { toError } from '@calls/foundation/errors';
import type { CallContext } from '../call-context.ts';
import type { OutgoingInvite, SipCredentials, SipSource } from '../calls.ts';
import { EarlyDialogs } from '../dialog/early-dialogs.ts';
import { DialogRequests } from '../dialog/dialog-requests.ts';
import { dialogOfResponse } from '../dialog/dialog-state.ts';
import { cancellationOf } from '../message/build.ts';
import { hasToken, headerOf } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import type { TransactionFailure } from '../transaction/machine.ts';
import type { InviteClient } from '../transaction/transactions.ts';

/** Maximum number of forked branches whose provisional responses are acknowledged. */
const MAX_BRANCHES = 8;

interface AttemptOptions {
  context: CallContext;
  request: SipRequest;
  peer: SipSource;
  credentials: SipCredentials | null;
  /** Returns the next CSeq number of the call. */
  nextCSeq(): number;
  reoffer: OutgoingInvite['reoffer'];
  /**
   * `invite`: the request as sent. `sdp`: the peer's latest description in the branch of a 2xx, if any. Called once for a
   * failure, and for each copy of a 2xx.
   */
  onFinal(response: SipResponse, invite: SipRequest, sdp: string | null): void;
  onFailure(cause: TransactionFailure): void;
}

/** An INVITE to one address of the peer. */
export class InviteAttempt {
  readonly peer: SipSource;
  readonly #options: AttemptOptions;
  readonly #client: InviteClient;
  readonly #early: EarlyDialogs;
  /** RSeq of the last reliable provisional response, by the tag of its branch. */
  readonly #acknowledged = new Map<string, number>();
  #hasResponded = false;
  #isOver = false;
  #isCancelled = false;

  /** Throws a SipError (`too_busy`) if there are too many transactions. */
  constructor(options: AttemptOptions) {
    const { context, request, peer } = options;
    this.peer = peer;
    this.#options = options;
    this.#early = new EarlyDialogs({ context, peer, reoffer: options.reoffer });
    this.#client = context.transactions.invite(request, peer, {
      onResponse: (response) => this.#onResponse(response),
      onFailure: (cause) => {
        this.#isOver = true;
        this.#early.end();
        options.onFailure(cause);
      },
    });
  }

  /** Whether a response has arrived. */
  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  /** Sends CANCEL as soon as a provisional response has arrived (RFC 3261, 9.1). Idempotent. */
  cancel(): void {
    if (this.#isCancelled || this.#isOver) return;
    this.#isCancelled = true;
    if (this.#hasResponded) this.#sendCancel();
  }

  #onResponse(response: SipResponse): void {
    const isFirst = !this.#hasResponded;
    this.#hasResponded = true;
    if (response.status >= 200) {
      const { request } = this.#client;
      const sdp = this.#early.descriptionIn(request, response);
      this.#isOver = true;
      this.#early.end();
      this.#options.onFinal(response, request, sdp);
      return;
    }
    if (hasToken(response, 'Require', '100rel') && !this.#acknowledge(response)) return;
    this.#early.responded(this.#client.request, response);
    if (isFirst && this.#isCancelled) this.#sendCancel();
  }

  /** Sends PRACK (RFC 3262). Returns false for a copy, or a response that arrived before the previous one. */
  #acknowledge(response: SipResponse): boolean {
    const { context, credentials } = this.#options;
    const { request } = this.#client;
    const rseq = Number.parseInt(headerOf(response, 'RSeq') ?? '', 10);
    const state = dialogOfResponse(request, response);
    const previous = state && this.#acknowledged.get(state.remoteTag);
    if (!state || Number.isNaN(rseq) || (previous !== undefined && rseq !== Number(previous) + 1))
      return false;
    if (previous === undefined && this.#acknowledged.size >= MAX_BRANCHES) return false;
    this.#acknowledged.set(state.remoteTag, rseq);
    const requests = new DialogRequests({
      context,
      credentials,
      peer: () => this.peer,
      isDirect: false,
      isConnected: () => true,
      state: () => state,
      nextCSeq: () => this.#options.nextCSeq(),
    });
    void requests.send('PRACK', { headers: [['RAck', `${rseq} ${headerOf(request, 'CSeq')}`]] });
    return true;
  }

  #sendCancel(): void {
    const { context } = this.#options;
    try {
      context.transactions.request(cancellationOf(this.#client.request), this.peer, {
        onResponse: () => undefined,
        onFailure: () => undefined,
      });
    } catch (thrown) {
      context.log.warn({ err: toError(thrown) }, 'failed to cancel SIP call');
    }
    this.#client.cancelled();
  }
}
