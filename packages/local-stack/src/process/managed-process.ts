import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { systemClock, withTimeout } from '@calls/foundation/clock';
import { identifyProcess } from './process-identity.ts';

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StopRule {
  /** The signal that requests an orderly stop. */
  readonly signal: NodeJS.Signals;
  /** Time until SIGKILL. */
  readonly limitMs: number;
}

/** Content of a run file: identifies a process that outlived its launcher. */
export interface RunRecord {
  readonly name: string;
  readonly pid: number;
  readonly startTicks: string;
  readonly stopSignal: NodeJS.Signals;
}

const KILL_LIMIT_MS = 5_000;

/**
 * A child process with its own process group. While it runs, `<runFile>` identifies it. When it has ended, its whole
 * group is killed.
 */
export class ManagedProcess {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<ExitStatus>;
  readonly #child: ChildProcess;
  readonly #stopRule: StopRule;
  #hasExited = false;

  /** `child` must be spawned with `detached: true` and have a pid. */
  constructor(name: string, child: ChildProcess & { pid: number }, stopRule: StopRule, runFile: string) {
    this.name = name;
    this.pid = child.pid;
    this.#child = child;
    this.#stopRule = stopRule;
    const identity = identifyProcess(child.pid);
    if (identity) {
      const record: RunRecord = { name, ...identity, stopSignal: stopRule.signal };
      try {
        writeFileSync(runFile, JSON.stringify(record), { mode: 0o600 });
      } catch {
        // The disk is full. Only a launcher that starts after this one was killed needs the file.
      }
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

  /** Sends the signal to the process only; no effect after its end. */
  signal(signal: NodeJS.Signals): void {
    if (!this.#hasExited) this.#child.kill(signal);
  }

  /** Sends SIGKILL to the group and waits for the end. */
  async kill(): Promise<ExitStatus> {
    if (!this.#hasExited) this.#killGroup();
    return withTimeout(systemClock, this.exited, KILL_LIMIT_MS, `the end of ${this.name}`);
  }

  /** Requests a stop; kills the process after the time limit. Idempotent. */
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
