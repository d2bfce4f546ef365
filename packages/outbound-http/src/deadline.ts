import type { Clock, Timer } from '@calls/foundation/clock';
import { asOutboundError, OutboundError } from './outbound-error.ts';

/** One limit over all of a request: waiting, names, connections, redirects, and reading the answer to its end. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: Timer;
  readonly #outer: AbortSignal | undefined;
  readonly #onEnd: (deadline: Deadline) => void;
  #isOver = false;

  /** `onEnd` is called once: with `end` or `abort`, or when the time is over or `outer` aborts, which it has not yet. */
  constructor(
    clock: Clock,
    limitMs: number,
    outer: AbortSignal | undefined,
    onEnd: (deadline: Deadline) => void,
  ) {
    this.#outer = outer;
    this.#onEnd = onEnd;
    this.#timer = clock.setTimer(limitMs, () =>
      this.abort(
        new OutboundError('outbound_timeout', `no complete answer within ${limitMs} ms`, { retryable: true }),
      ),
    );
    outer?.addEventListener('abort', this.#onOuterAbort, { once: true });
  }

  /** Aborts when the time is over, with the caller's signal, or by `abort`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What to throw for a fault: the reason of an abort before what it caused. */
  errorFor(thrown: unknown): Error {
    return this.signal.aborted ? (this.signal.reason as Error) : asOutboundError(thrown);
  }

  /** The request is over. Idempotent. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer.cancel();
    this.#outer?.removeEventListener('abort', this.#onOuterAbort);
    this.#onEnd(this);
  }

  /** Ends the request with this reason, if it is not over. */
  abort(reason: unknown): void {
    if (this.#isOver) return;
    this.#controller.abort(reason);
    this.end();
  }

  readonly #onOuterAbort = (): void => this.abort(this.#outer?.reason);
}
