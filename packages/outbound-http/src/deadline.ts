import type { Clock, Timer } from '@calls/foundation/clock';
import { asOutboundError, OutboundError } from './outbound-error.ts';

/** One time limit for a whole request: waiting, name look-ups, connections, redirects, and reading the response. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: Timer;
  readonly #outer: AbortSignal | undefined;
  readonly #onEnd: (deadline: Deadline) => void;
  #isOver = false;

  /**
   * `onEnd` is called once: by `end` or `abort`, when the time is over, or when `outer` aborts. `outer` must not have
   * aborted yet.
   */
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
        new OutboundError('outbound_timeout', `no complete response within ${limitMs} ms`, {
          retryable: true,
        }),
      ),
    );
    outer?.addEventListener('abort', this.#onOuterAbort, { once: true });
  }

  /** Aborts when the time is over, when the caller's signal aborts, or by `abort`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The error to throw: the reason of the abort rather than its consequence. */
  errorFor(thrown: unknown): Error {
    return this.signal.aborted ? (this.signal.reason as Error) : asOutboundError(thrown);
  }

  /** Ends the time limit. Idempotent. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer.cancel();
    this.#outer?.removeEventListener('abort', this.#onOuterAbort);
    this.#onEnd(this);
  }

  /** Ends the request with this reason unless it has ended. */
  abort(reason: unknown): void {
    if (this.#isOver) return;
    this.#controller.abort(reason);
    this.end();
  }

  readonly #onOuterAbort = (): void => this.abort(this.#outer?.reason);
}
