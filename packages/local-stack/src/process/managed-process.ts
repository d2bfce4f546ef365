import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { systemClock, withTimeout } from '@calls/foundation/clock';
import { identifyProcess } from './process-identity.ts';

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StopRule {
  /** What asks the process to end well. */
  readonly signal: NodeJS.Signals;
  /** How long it may take before SIGKILL. */
  readonly limitMs: number;
}

/** What a run file holds: enough for the next launcher to end a process that outlived this one. */
export interface RunRecord {
  readonly name: string;
  readonly pid: number;
  readonly startTicks: string;
  readonly stopSignal: NodeJS.Signals;
}

const KILL_LIMIT_MS = 5_000;

/**
 * A child process that leads its own process group. While it lives, `<runFile>` names it. Whatever it started is killed
 * with its group when it has ended.
 */
export class ManagedProcess {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<ExitStatus>;
  readonly #child: ChildProcess;
  readonly #stopRule: StopRule;
  #hasExited = false;

  /** `child` was spawned with `detached: true` and has a pid. */
  constructor(name: string, child: ChildProcess & { pid: number }, stopRule: StopRule, runFile: string) {
    this.name = name;
    this.pid = child.pid;
    this.#child = child;
    this.#stopRule = stopRule;
    const identity = identifyProcess(child.pid);
    if (identity) {
      const record: RunRecord = { name, ...identity, stopSignal: stopRule.signal };
      writeFileSync(runFile, JSON.stringify(record), { mode: 0o600 });
    }
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#hasExited = true;
        this.#killGroup();
        rmSync(runFile, { force: true });
        resolve({ code, signal });
      });
    });
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Sends the signal to the process itself; nothing happens when it has ended. */
  signal(signal: NodeJS.Signals): void {
    if (!this.#hasExited) this.#child.kill(signal);
  }

  /** Sends SIGKILL to the whole group and awaits the end. */
  async kill(): Promise<ExitStatus> {
    if (!this.#hasExited) this.#killGroup();
    return withTimeout(systemClock, this.exited, KILL_LIMIT_MS, `the end of ${this.name}`);
  }

  /** Asks the process to end, kills it when it takes longer than its limit. Idempotent. */
  async stop(): Promise<ExitStatus> {
    this.signal(this.#stopRule.signal);
    this.signal('SIGCONT');
    try {
      return await withTimeout(systemClock, this.exited, this.#stopRule.limitMs, `the end of ${this.name}`);
    } catch {
      return this.kill();
    }
  }

  #killGroup(): void {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // The group is empty.
    }
  }
}
