import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { MAX_TURN_SAMPLES, type TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { MonitoredThread } from '@calls/foundation/monitored-thread';
import type { TurnModelConfig } from './turn-model-config.ts';
import type { TurnModelForm } from './turn-network.ts';

const TURN_MODEL = 'turn-model';
/** Maximum number of turns per run. A run takes some 10 to 50 ms for each. */
const MAX_BATCH = 8;
/** Maximum number of waiting turns. Further ones are rejected, because their results would be late. */
const MAX_WAITING = 32;

/** Start parameters of the model's thread. */
export interface TurnModelThreadData {
  modelPath: string;
}

/** Main thread → model's thread. Null: exit. */
export interface TurnModelRequest {
  turns: readonly Int16Array[] | null;
}

/** Model's thread → main thread. The first message is `ready` or `rejected`. */
export type TurnThreadMessage =
  | { type: 'ready'; form: TurnModelForm }
  | { type: 'rejected'; message: string }
  | { type: 'judged'; probabilities: readonly number[] };

interface WaitingTurn {
  samples: Int16Array;
  signal: AbortSignal;
  resolve: (probability: number) => void;
  reject: (err: Error) => void;
}

/**
 * Runs an end-of-turn model in its own thread, because a run takes longer than the VAD may wait. Pauses of different
 * calls that begin during a run form the next batch. Rejects if the file is missing, has another checksum or is not an
 * end-of-turn model.
 */
export async function createTurnModel(
  { path, sha256 }: TurnModelConfig,
  { log, clock }: { log: Logger; clock: Clock },
): Promise<TurnCompletionModel> {
  const refused = (reason: string): ProviderError =>
    new ProviderError(TURN_MODEL, 'unavailable', `END_OF_TURN_MODEL ${path} cannot be used: ${reason}`);
  const content = await readFile(path).catch((thrown: unknown) => {
    throw refused(toError(thrown).message);
  });
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual !== sha256) throw refused(`its SHA-256 checksum is ${actual}, not ${sha256}`);
  const rejections: string[] = [];
  const workerData: TurnModelThreadData = { modelPath: path };
  const thread = await MonitoredThread.start({
    name: 'end-of-turn model',
    start: () => {
      // Must be set before the thread loads the library, which otherwise sends telemetry.
      process.env['ORT_DISABLE_TELEMETRY'] = '1';
      return new Worker(new URL('./turn-model-thread.ts', import.meta.url), { workerData, name: TURN_MODEL });
    },
    onReady: (first) => {
      const message = first as TurnThreadMessage;
      if (message.type === 'rejected') rejections.push(message.message);
      if (message.type === 'ready')
        log.info({ form: message.form, modelPath: path }, 'end-of-turn model loaded');
    },
    onMessage: (message) => model.onMessage(message as TurnThreadMessage),
    requestExit: () => thread.post({ turns: null } satisfies TurnModelRequest),
    onLost: (err) => model.fail(new ProviderError(TURN_MODEL, 'unavailable', err.message, { cause: err })),
    log,
    clock,
  });
  const model = new TurnModel(thread);
  const [rejection] = rejections;
  if (rejection === undefined) return model;
  await model[Symbol.asyncDispose]();
  throw refused(rejection);
}

class TurnModel implements TurnCompletionModel {
  readonly #thread: MonitoredThread;
  #waiting: WaitingTurn[] = [];
  #running: WaitingTurn[] = [];

  constructor(thread: MonitoredThread) {
    this.#thread = thread;
  }

  completion(samples: Int16Array, signal: AbortSignal): Promise<number> {
    if (!this.#thread.isReady)
      return Promise.reject(new ProviderError(TURN_MODEL, 'unavailable', 'the thread is restarting'));
    if (this.#waiting.length >= MAX_WAITING) this.#dropAborted();
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(new ProviderError(TURN_MODEL, 'timeout', 'too many turns are waiting'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ samples: samples.slice(-MAX_TURN_SAMPLES), signal, resolve, reject });
      this.#runNext();
    });
  }

  onMessage(message: TurnThreadMessage): void {
    if (message.type !== 'judged') return;
    this.#thread.responded();
    for (const [i, { resolve, reject }] of this.#running.entries()) {
      const probability = message.probabilities[i] ?? NaN;
      if (Number.isNaN(probability))
        reject(new ProviderError(TURN_MODEL, 'malformed', 'the model returned no probability'));
      else resolve(probability);
    }
    this.#running = [];
    this.#runNext();
  }

  /** Rejects all turns. */
  fail(err: Error): void {
    for (const { reject } of [...this.#running, ...this.#waiting]) reject(err);
    this.#running = [];
    this.#waiting = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.fail(new ProviderError(TURN_MODEL, 'unavailable', 'the model is closed'));
    await this.#thread[Symbol.asyncDispose]();
  }

  #runNext(): void {
    if (this.#running.length > 0) return;
    this.#dropAborted();
    if (this.#waiting.length === 0) return;
    this.#running = this.#waiting.splice(0, MAX_BATCH);
    this.#thread.expectResponse();
    this.#thread.post({ turns: this.#running.map(({ samples }) => samples) } satisfies TurnModelRequest);
  }

  #dropAborted(): void {
    for (const { signal, reject } of this.#waiting) if (signal.aborted) reject(toError(signal.reason));
    this.#waiting = this.#waiting.filter(({ signal }) => !signal.aborted);
  }
}
