import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { withTimeout, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { resetPriority } from '@calls/foundation/process-priority';
import type { ModelJob, ModelReport, ModelRequest, ModelSpec } from './messages.ts';
import { RunningJob } from './running-job.ts';

const ENTRY = fileURLToPath(new URL('./model-main.ts', import.meta.url));
const STDERR_TAIL_CHARS = 2000;
const LOAD_LIMIT_MS = 60_000;

/** A process with one loaded model, for one job at a time. */
export class ModelProcess implements AsyncDisposable {
  /** Settles when the process has exited; never rejects. */
  readonly end: Promise<void>;
  readonly #provider: string;
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  #settleReady: { resolve: () => void; reject: (err: Error) => void } | undefined;
  #job: RunningJob | undefined;
  #stderr = '';
  #wasReady = false;
  #ended = false;

  /** Resolves when the model is loaded. Rejects as `unavailable` with the native library's message if it cannot be. */
  static async start(options: {
    provider: string;
    /** The model's folder, for errors. */
    dir: string;
    spec: ModelSpec;
    clock: Clock;
  }): Promise<ModelProcess> {
    const { provider, dir, clock } = options;
    const model = new ModelProcess(provider, options.spec);
    try {
      await withTimeout(clock, model.#ready, LOAD_LIMIT_MS, 'loading the model');
      return model;
    } catch (cause) {
      await model[Symbol.asyncDispose]();
      const reason = toError(cause).message;
      throw new ProviderError(provider, 'unavailable', `the model in ${dir} cannot be loaded: ${reason}`, {
        cause,
      });
    }
  }

  private constructor(provider: string, spec: ModelSpec) {
    this.#provider = provider;
    this.#ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    const child = fork(ENTRY, [], {
      detached: true,
      serialization: 'advanced',
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    resetPriority(child.pid);
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARS);
    });
    child.on('message', (report) => this.#receive(report as ModelReport));
    this.end = new Promise((resolve) => {
      const finish = (err?: Error): void => {
        this.#finish(err);
        resolve();
      };
      child.on('close', () => finish());
      child.on('error', (err) => {
        if (child.pid === undefined) finish(err);
      });
    });
    this.#send({ type: 'load', spec });
  }

  /** False once the process is known to have exited. */
  get isAlive(): boolean {
    return !this.#ended;
  }

  /** Starts a job; the previous one must be done. */
  run(job: ModelJob): RunningJob {
    const running = new RunningJob(() => this.#send({ type: 'stop' }));
    if (this.#ended) {
      running.fail(this.#cut());
      return running;
    }
    this.#job = running;
    this.#send({ type: 'run', job });
    return running;
  }

  /** Kills the process. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.end;
  }

  #receive(report: ModelReport): void {
    switch (report.type) {
      case 'ready':
        this.#wasReady = true;
        this.#settleReady?.resolve();
        break;
      case 'output':
        this.#job?.add(report.output);
        break;
      case 'failed':
        // The native library's message may quote the text, so it is not included.
        this.#job?.fail(new ProviderError(this.#provider, 'malformed', 'the model failed'));
        break;
      case 'done':
        this.#job?.finish(report.cpuMs);
        break;
    }
  }

  #finish(err: Error | undefined): void {
    this.#ended = true;
    this.#job?.fail(this.#cut());
    if (this.#wasReady) return;
    this.#settleReady?.reject(new Error(err?.message ?? reasonIn(this.#stderr) ?? 'its process ended'));
  }

  #cut(): ProviderError {
    return new ProviderError(this.#provider, 'cut', "the model's process ended");
  }

  #send(request: ModelRequest): void {
    // The process is ending; `close` follows and settles everything.
    if (this.#child.connected) this.#child.send(request, () => undefined);
  }
}

/** The relevant line of the error output: that of a C++ exception, or else the last. */
export function reasonIn(stderr: string): string | undefined {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const line =
    lines.find((candidate) => candidate.startsWith('what():'))?.slice('what():'.length) ?? lines.at(-1);
  return line?.trim().slice(0, 300);
}
