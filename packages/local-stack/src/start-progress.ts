import { systemClock, type Clock, type Timer } from '@calls/foundation/clock';
import { readStat } from './process/process-identity.ts';
import type { Reporter } from './reporter.ts';

/** How long a part may take to start, if its process does not exit. Slow machines take minutes. */
export const DEFAULT_START_LIMIT_MS = 600_000;

const INTERVAL_MS = 10_000;
/** Resolution of the times in /proc, on every Linux platform of Node. */
const TICKS_PER_SECOND = 100;

/** Reports every ten seconds that the part is still starting, until it is disposed. */
export class StartProgress implements Disposable {
  readonly #name: string;
  readonly #pid: number | undefined;
  readonly #reporter: Reporter;
  readonly #clock: Clock;
  readonly #startedMs: number;
  #timer: Timer;

  constructor(
    { name, pid }: { name: string; pid?: number | undefined },
    reporter: Reporter,
    clock: Clock = systemClock,
  ) {
    this.#name = name;
    this.#pid = pid;
    this.#reporter = reporter;
    this.#clock = clock;
    this.#startedMs = clock.nowMs();
    this.#timer = this.#next();
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
  }

  #next(): Timer {
    return this.#clock.setTimer(INTERVAL_MS, () => {
      const waitedS = Math.round((this.#clock.nowMs() - this.#startedMs) / 1000);
      this.#reporter.notice(this.#name, `still starting after ${waitedS} s${processorTimeText(this.#pid)}`);
      this.#timer = this.#next();
    });
  }
}

/** Shows whether the process works or waits. */
function processorTimeText(pid: number | undefined): string {
  const fields = pid === undefined ? undefined : readStat(pid);
  if (!fields) return '';
  // User and system time.
  const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  return `, ${seconds.toFixed(1)} s of processor time used`;
}
