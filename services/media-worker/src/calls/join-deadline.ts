import { SET_UP_EXTENSION_MS } from '@calls/api-contract/call-lifetime';
import type { Clock, Timer } from '@calls/foundation/clock';

export interface JoinLimits {
  /** Milliseconds until the deadline. */
  limitMs: number;
  /** Milliseconds after which the deadline passes in any case. Default: no limit. */
  maxMs?: number;
}

/** The time by which a client must join. Clients whose media is being set up then have some more time. */
export class JoinDeadline {
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #extensionMs: number;
  readonly #onOver: () => void;
  #settingUp = 0;
  #isExtended = false;
  #timer: Timer | null;

  /** `onOver`: called at most once, and not after `cancel`. */
  constructor(
    clock: Pick<Clock, 'setTimer'>,
    { limitMs, maxMs = Number.POSITIVE_INFINITY }: JoinLimits,
    onOver: () => void,
  ) {
    this.#clock = clock;
    this.#onOver = onOver;
    const firstMs = Math.max(0, Math.min(limitMs, maxMs));
    this.#extensionMs = Math.min(SET_UP_EXTENSION_MS, Math.max(0, maxMs - firstMs));
    this.#timer = clock.setTimer(firstMs, () => this.#onTime());
  }

  /** Extends the deadline while a client's media is being set up. `setUp` must not reject. */
  extendWhile(setUp: Promise<unknown>): void {
    this.#settingUp += 1;
    void setUp.then(() => {
      this.#settingUp -= 1;
      if (this.#isExtended && this.#settingUp === 0) this.#end();
    });
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #onTime(): void {
    if (this.#settingUp === 0) return this.#end();
    this.#isExtended = true;
    this.#timer = this.#clock.setTimer(this.#extensionMs, () => this.#end());
  }

  #end(): void {
    if (!this.#timer) return;
    this.cancel();
    this.#onOver();
  }
}
