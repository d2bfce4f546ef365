import { delay, systemClock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { LocalStackError, type Reporter } from '../reporter.ts';
import type { ExitStatus, ManagedProcess } from './managed-process.ts';
import { decideRestart, noRestarts, type RestartPolicy } from './restart-policy.ts';

export interface SupervisedProcessOptions {
  readonly name: string;
  /** `on-change`: an unexpected exit is reported, and the process stays down until `restart` is called. */
  readonly restart: RestartPolicy | 'never' | 'on-change';
  readonly reporter: Reporter;
  /** Starts the process and resolves when it is ready. On failure or abort, rejects after the process has ended. */
  readonly launch: (signal: AbortSignal) => Promise<ManagedProcess>;
  /** Aborts when the whole stack stops, even during its start. */
  readonly signal: AbortSignal;
  /** Called when all restarts of the policy are used up. */
  readonly onGivenUp: (name: string) => void;
  readonly onDispose?: () => void;
}

/** One process of the stack over its restarts. Restarts it by policy after an unexpected exit and reports that. */
export class SupervisedProcess implements AsyncDisposable {
  readonly name: string;
  readonly #options: SupervisedProcessOptions;
  readonly #disposal = new AbortController();
  readonly #stopping: AbortSignal;
  #current: ManagedProcess | undefined;
  #launching: Promise<void> | undefined;
  #supervision: { readonly done: Promise<void>; end(): void } | undefined;
  #disposed: Promise<void> | undefined;

  constructor(options: SupervisedProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#stopping = AbortSignal.any([options.signal, this.#disposal.signal]);
  }

  /** Undefined while it is not running. */
  get pid(): number | undefined {
    return this.#current?.hasExited === false ? this.#current.pid : undefined;
  }

  /** Starts the process unless it is running; resolves when it is ready. */
  async start(): Promise<void> {
    if (this.pid !== undefined) return;
    this.#stopping.throwIfAborted();
    await this.#launch(this.#stopping);
    if (this.#options.restart !== 'never')
      this.#supervision ??= this.#beginSupervision(this.#options.restart);
  }

  /** Stops the process if it is running, and starts it again; resolves when it is ready. */
  async restart(): Promise<void> {
    await this.#halt();
    await this.start();
  }

  /** Sends the signal to the process. */
  signal(signal: NodeJS.Signals): void {
    this.#current?.signal(signal);
  }

  /** Kills the process and everything it started; resolves when it has ended. */
  async kill(): Promise<ExitStatus> {
    if (!this.#current) throw new LocalStackError('not_running', `${this.name} is not running`);
    return this.#current.kill();
  }

  /** Stops the process in order; resolves when it has ended. */
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
    // Aborts a running start; its caller gets the error.
    await this.#launching?.catch(() => undefined);
    await this.#halt();
    this.#options.onDispose?.();
  }

  #launch(signal: AbortSignal): Promise<void> {
    this.#launching = this.#launchOnce(signal);
    return this.#launching;
  }

  async #launchOnce(signal: AbortSignal): Promise<void> {
    const launched = await this.#options.launch(signal);
    this.#current = launched;
    // The signal aborted during the start.
    if (signal.aborted) await launched.stop();
  }

  #beginSupervision(restart: RestartPolicy | 'on-change'): { readonly done: Promise<void>; end(): void } {
    const ending = new AbortController();
    const signal = AbortSignal.any([this.#stopping, ending.signal]);
    const done = restart === 'on-change' ? this.#reportExit(signal) : this.#supervise(restart, signal);
    return { done, end: () => ending.abort(new Error(`${this.name} is being restarted`)) };
  }

  /** Stops the process and its supervision. */
  async #halt(): Promise<void> {
    this.#supervision?.end();
    await this.#current?.stop();
    await this.#supervision?.done;
    this.#supervision = undefined;
  }

  async #reportExit(signal: AbortSignal): Promise<void> {
    const exit = await this.#exitOfCurrent();
    if (!signal.aborted) this.#options.reporter.notice(this.name, `${exit}; waiting for a change`);
  }

  async #supervise(policy: RestartPolicy, signal: AbortSignal): Promise<void> {
    const { reporter, onGivenUp } = this.#options;
    let state = noRestarts;
    let startedMs = systemClock.nowMs();
    for (;;) {
      const exit = await this.#exitOfCurrent();
      if (signal.aborted) return;
      const decision = decideRestart(policy, state, systemClock.nowMs() - startedMs);
      if (decision.kind === 'give-up') {
        reporter.notice(this.name, `${exit}; given up after ${policy.maxRestarts} restarts`);
        onGivenUp(this.name);
        return;
      }
      state = decision.state;
      reporter.notice(this.name, `${exit}; restart ${state.restarts} of ${policy.maxRestarts}`);
      if (!(await waited(decision.delayMs, signal))) return;
      startedMs = systemClock.nowMs();
      try {
        await this.#launch(signal);
        reporter.notice(this.name, 'is back');
      } catch (thrown) {
        this.#current = undefined;
        reporter.notice(this.name, toError(thrown).message);
      }
    }
  }

  async #exitOfCurrent(): Promise<string> {
    if (!this.#current) return 'did not start';
    const { code, signal } = await this.#current.exited;
    return signal === null ? `ended (code ${code ?? '?'})` : `ended (${signal})`;
  }
}

/** False if aborted. */
async function waited(delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(systemClock, delayMs, signal);
    return true;
  } catch {
    return false;
  }
}
