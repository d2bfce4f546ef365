import type { Clock } from '@calls/foundation/clock';
import type { HostedCall } from './hosted-call.ts';

/** The calls of this worker, from admission to end. */
export class CallRegistry<Call extends Pick<HostedCall, 'callId' | 'isJoined'> = HostedCall> {
  readonly #calls = new Map<string, Call>();
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#calls.size;
  }

  get joined(): number {
    let count = 0;
    for (const call of this.#calls.values()) if (call.isJoined) count += 1;
    return count;
  }

  all(): Call[] {
    return [...this.#calls.values()];
  }

  get(callId: string): Call | undefined {
    return this.#calls.get(callId);
  }

  add(call: Call): void {
    this.#calls.set(call.callId, call);
    const waiting = this.#waiting.get(call.callId);
    this.#waiting.delete(call.callId);
    for (const wake of waiting ?? []) wake();
  }

  remove(call: Call): void {
    if (this.#calls.get(call.callId) === call) this.#calls.delete(call.callId);
  }

  /**
   * Returns the call, waiting up to `waitMs` for it: a client may be faster than the bus. Undefined if it does not
   * arrive.
   */
  async find(callId: string, waitMs: number): Promise<Call | undefined> {
    const call = this.#calls.get(callId);
    if (call) return call;
    const waiting = this.#waiting.get(callId) ?? new Set<() => void>();
    this.#waiting.set(callId, waiting);
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        timer.cancel();
        resolve();
      };
      const timer = this.#clock.setTimer(waitMs, () => {
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(callId);
        resolve();
      });
      waiting.add(wake);
    });
    return this.#calls.get(callId);
  }
}
