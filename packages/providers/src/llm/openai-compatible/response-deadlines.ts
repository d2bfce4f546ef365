import type { Clock } from '@calls/foundation/clock';
import type { Deadline } from '../../http/exchange.ts';
import { STILL_THINKING } from './model-response.ts';
import type { LanguageModelLimits } from './limits.ts';

/** How long to wait for usage and the end of the stream after the finish reason. */
const USAGE_LIMIT_MS = 1000;

/** Selects the time limit for each phase of a response. */
export class ResponseDeadlines {
  readonly #clock: Clock;
  readonly #limits: LanguageModelLimits;
  readonly #startedAtMs: number;
  #phase: 'first' | 'gap' | 'usage' = 'first';
  #isThinking = false;
  #waitedMs = 0;

  constructor(clock: Clock, limits: LanguageModelLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#startedAtMs = clock.nowMs();
  }

  /** Call it when thinking arrives. Thinking does not extend the time to the first token. */
  thinking(): void {
    this.#isThinking = true;
  }

  begun(): void {
    if (this.#phase === 'first') this.#phase = 'gap';
  }

  finished(): void {
    this.#phase = 'usage';
  }

  async during<T>(wait: (deadline: Deadline) => Promise<T>): Promise<T> {
    const fromMs = this.#clock.nowMs();
    const result = await wait(this.#deadline(fromMs));
    this.#waitedMs += this.#clock.nowMs() - fromMs;
    return result;
  }

  #deadline(nowMs: number): Deadline {
    const { totalTimeoutMs } = this.#limits;
    const step = this.#step(nowMs);
    const totalAtMs = nowMs + totalTimeoutMs - this.#waitedMs;
    return totalAtMs < step.atMs
      ? { atMs: totalAtMs, message: `not complete within ${totalTimeoutMs} ms` }
      : step;
  }

  #step(nowMs: number): Deadline {
    const { firstTokenTimeoutMs, gapTimeoutMs } = this.#limits;
    switch (this.#phase) {
      case 'first':
        return {
          atMs: this.#startedAtMs + firstTokenTimeoutMs,
          message: `no first token within ${firstTokenTimeoutMs} ms${this.#isThinking ? `: ${STILL_THINKING}` : ''}`,
        };
      case 'gap':
        return {
          atMs: nowMs + gapTimeoutMs,
          message: `nothing arrived for ${gapTimeoutMs} ms in the middle of the response`,
        };
      case 'usage':
        return {
          atMs: nowMs + USAGE_LIMIT_MS,
          message: `did not end within ${USAGE_LIMIT_MS} ms of its last word`,
        };
    }
  }
}
