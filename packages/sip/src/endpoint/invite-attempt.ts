import { toError } from '@calls/foundation/errors';
import type { CallContext } from '../call-context.ts';
import type { SipSource } from '../calls.ts';
import { cancellationOf } from '../message/build.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import type { TransactionFailure } from '../transaction/machine.ts';
import type { InviteClient } from '../transaction/transactions.ts';

export interface AttemptOwner {
  onProvisional(response: SipResponse): void;
  /** `invite`: the request as sent. Called once for a failure, and for each copy of a 2xx. */
  onFinal(response: SipResponse, invite: SipRequest): void;
  onFailure(cause: TransactionFailure): void;
}

/** An INVITE to one address of the peer. */
export class InviteAttempt {
  readonly peer: SipSource;
  readonly #context: CallContext;
  readonly #client: InviteClient;
  #hasResponded = false;
  #isOver = false;
  #isCancelled = false;

  /** Throws a SipError (`too_busy`) if there are too many transactions. */
  constructor(context: CallContext, request: SipRequest, peer: SipSource, owner: AttemptOwner) {
    this.peer = peer;
    this.#context = context;
    this.#client = context.transactions.invite(request, peer, {
      onResponse: (response) => this.#onResponse(response, owner),
      onFailure: (cause) => {
        this.#isOver = true;
        owner.onFailure(cause);
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

  #onResponse(response: SipResponse, owner: AttemptOwner): void {
    const isFirst = !this.#hasResponded;
    this.#hasResponded = true;
    if (response.status >= 200) {
      this.#isOver = true;
      owner.onFinal(response, this.#client.request);
      return;
    }
    owner.onProvisional(response);
    if (isFirst && this.#isCancelled) this.#sendCancel();
  }

  #sendCancel(): void {
    try {
      this.#context.transactions.request(cancellationOf(this.#client.request), this.peer, {
        onResponse: () => undefined,
        onFailure: () => undefined,
      });
    } catch (thrown) {
      this.#context.log.warn({ err: toError(thrown) }, 'failed to cancel SIP call');
    }
    this.#client.cancelled();
  }
}
