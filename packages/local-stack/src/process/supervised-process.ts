import { delay, systemClock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Reporter } from '../reporter.ts';
import { LocalStackError } from '../local-stack-error.ts';
import type { ExitStatus, ManagedProcess } from './managed-process.ts';
import { decideRestart, noRestarts, type RestartPolicy } from './restart-policy.ts';

export interface SupervisedProcessOptions {
  readonly name: string;
  readonly restart: RestartPolicy | 'never';
  readonly reporter: Reporter;
  /** Starts the process; resolves when it is ready; rejects when it did not get there, or on abort (and has ended). */
  readonly launch: (signal: AbortSignal) => Promise<ManagedProcess>;
  /** Aborted when the whole stack is to stop, also while it starts. */
  readonly signal: AbortSignal;
  /** The process is down and stays down. */
  readonly onGivenUp: (name: string) => void;
  readonly onDispose?: () => void;
}

/** One part of the stack over the lives of its processes: brings it back by policy when it ends unasked, and says so. */
export class SupervisedProcess implements AsyncDisposable {
  readonly name: string;
  readonly #options: SupervisedProcessOptions;
  readonly #disposal = new AbortController();
  readonly #stopping: AbortSignal;
  #current: ManagedProcess | undefined;
  #supervision: Promise<void> | undefined;
  #disposed: Promise<void> | undefined;

  constructor(options: SupervisedProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#stopping = AbortSignal.any([options.signal, this.#disposal.signal]);
  }

  /** Undefined while it is down. */
  get pid(): number | undefined {
    return this.#current?.hasExited === false ? this.#current.pid : undefined;
  }

  /** Starts it where it is down; resolves when it is ready. */
  async start(): Promise<void> {
    if (this.pid !== undefined) return;
    this.#stopping.throwIfAborted();
    await this.#launch();
    if (this.#options.restart !== 'never') this.#supervision ??= this.#supervise(this.#options.restart);
  }

  /** Signals the process, as a fault from outside would. */
  signal(signal: NodeJS.Signals): void {
    this.#current?.signal(signal);
  }

  /** SIGKILL to the process and all it started; resolves when it has ended. */
  async kill(): Promise<ExitStatus> {
    if (!this.#current) throw new LocalStackError('not_running', `${this.name} is not running`);
    return this.#current.kill();
  }

  /** Asks the process to end, as an operator would; resolves when it has ended. */
  async stop(): Promise<ExitStatus> {
    if (!this.#current) throw new LocalStackError('not_running', `${this.name} is not running`);
    return this.#current.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async #dispose(): Promise<void> {
    this.#disposal.abort(new Error(`${this.name} is being stopped`));
    await this.#current?.stop();
    await this.#supervision;
    this.#options.onDispose?.();
  }

  async #launch(): Promise<ManagedProcess> {
    const launched = await this.#options.launch(this.#stopping);
    this.#current = launched;
    // The stop came during the launch.
    if (this.#stopping.aborted) await launched.stop();
    return launched;
  }

  async #supervise(policy: RestartPolicy): Promise<void> {
    const { reporter, onGivenUp } = this.#options;
    let state = noRestarts;
    let startedMs = systemClock.nowMs();
    for (;;) {
      const ending = await this.#endOfCurrent();
      if (this.#stopping.aborted) return;
      const decision = decideRestart(policy, state, systemClock.nowMs() - startedMs);
      if (decision.kind === 'give-up') {
        reporter.notice(this.name, `${ending}; given up after ${policy.maxRestarts} restarts`);
        onGivenUp(this.name);
        return;
      }
      state = decision.state;
      reporter.notice(this.name, `${ending}; restart ${state.restarts} of ${policy.maxRestarts}`);
      if (!(await this.#waited(decision.delayMs))) return;
      startedMs = systemClock.nowMs();
      try {
        await this.#launch();
        reporter.notice(this.name, 'is back');
      } catch (thrown) {
        this.#current = undefined;
        reporter.notice(this.name, toError(thrown).message);
      }
    }
  }

  async #endOfCurrent(): Promise<string> {
    if (!this.#current) return 'did not start';
    const { code, signal } = await this.#current.exited;
    return signal === null ? `ended (code ${code ?? '?'})` : `ended (${signal})`;
  }

  /** False when the stop came first. */
  async #waited(delayMs: number): Promise<boolean> {
    try {
      await delay(systemClock, delayMs, this.#stopping);
      return true;
    } catch {
      return false;
    }
  }
}
