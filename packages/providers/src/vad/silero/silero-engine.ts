import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { VoiceActivityDetector, VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { systemClock, type Clock, type Timer } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { MonitoredThread } from '@calls/foundation/monitored-thread';
import { RunRequest, type SileroReady } from './messages.ts';
import { startSileroWorker, type StartWorker } from './start-silero-worker.ts';
import { SILERO, WindowBatcher, type DetectorState } from './window-batcher.ts';

export interface SileroOptions {
  log: Logger;
  clock?: Clock;
  /** Maximum number of windows per run of the model. */
  maxBatch?: number;
  /** Maximum number of pending windows per detector; further ones are rejected. */
  maxPendingPerDetector?: number;
  /**
   * How long the first window of a batch waits for more; 0 means until the end of the turn of the event loop. The
   * default grows with the number of open detectors, because larger batches cost less per window.
   */
  gatherMs?: number;
  /** Called before the model runs, with the number of windows. */
  onBatch?: (windows: number) => void;
  /**
   * A Silero VAD v5 or v6 model; default: the one in @ricky0123/vad-web. One with another structure than the published
   * models runs as it is, which takes several times as long.
   */
  modelPath?: string;
  /** Runs the model as it is, for comparisons. */
  form?: 'original';
}

/** Waiting time by the number of open detectors, each of which adds a window every 32 ms. */
const GATHERING = [
  { fromDetectors: 60, gatherMs: 8 },
  { fromDetectors: 20, gatherMs: 4 },
] as const;

/**
 * Silero VAD for all calls of a process in one worker thread, because a run of the model blocks. Windows that arrive
 * during a run form the next batch. If the thread dies, pending and new windows are rejected as `unavailable` until
 * another thread is ready; detectors then continue with an empty state. Rejects if the model cannot be loaded.
 */
export async function createSileroEngine(
  options: SileroOptions,
  overrides: { startWorker?: StartWorker } = {},
): Promise<VoiceActivityEngine> {
  const { log, clock = systemClock, maxBatch = 128, maxPendingPerDetector = 96 } = options;
  const batcher = new WindowBatcher({ maxBatch, maxPendingPerDetector });
  const request = new RunRequest();
  const { startWorker = startSileroWorker } = overrides;
  const { modelPath = bundledModelPath(), form } = options;
  const { memories: batches } = batcher;
  const unavailable = (cause: unknown): ProviderError =>
    new ProviderError(SILERO, 'unavailable', "the model's thread ended", { cause: toError(cause) });
  const thread = await MonitoredThread.start({
    name: 'voice activity',
    start: () => startWorker({ modelPath, form, maxBatch, batches, request: request.memory }),
    onReady: (message) => {
      const ready = message as SileroReady;
      log.info({ form: ready.form, modelPath }, 'voice activity model loaded');
    },
    onMessage: () => engine.batchDone(),
    requestExit: () => request.sendExit(),
    onLost: (err) => batcher.fail(unavailable(err)),
    log,
    clock,
  }).catch((thrown: unknown) => {
    throw unavailable(thrown);
  });
  const gatherMs = (): number =>
    options.gatherMs ??
    GATHERING.find(({ fromDetectors }) => batcher.openDetectors >= fromDetectors)?.gatherMs ??
    0;
  const onBatch = options.onBatch ?? (() => undefined);
  const engine = new SileroEngine({ batcher, thread, request, clock, gatherMs, onBatch });
  return engine;
}

export function bundledModelPath(): string {
  const manifest = createRequire(import.meta.url).resolve('@ricky0123/vad-web/package.json');
  return join(manifest, '../dist/silero_vad_v6.onnx');
}

const closedError = (): ProviderError => new ProviderError(SILERO, 'unavailable', 'the detector is closed');

class SileroEngine implements VoiceActivityEngine {
  readonly #batcher: WindowBatcher;
  readonly #thread: MonitoredThread;
  readonly #request: RunRequest;
  readonly #clock: Clock;
  readonly #gatherMs: () => number;
  readonly #onBatch: (windows: number) => void;
  /** Set from the first window of a batch until the batch starts. */
  #start: Timer | undefined;
  #disposed = false;

  constructor(deps: {
    batcher: WindowBatcher;
    thread: MonitoredThread;
    request: RunRequest;
    clock: Clock;
    gatherMs: () => number;
    onBatch: (windows: number) => void;
  }) {
    this.#batcher = deps.batcher;
    this.#thread = deps.thread;
    this.#request = deps.request;
    this.#clock = deps.clock;
    this.#gatherMs = deps.gatherMs;
    this.#onBatch = deps.onBatch;
  }

  createDetector(): VoiceActivityDetector {
    if (this.#disposed) throw new ProviderError(SILERO, 'unavailable', 'the engine is closed');
    const detector = this.#batcher.open();
    return {
      push: (window) => this.#push(detector, window),
      reset: () => {
        detector.mustReset = true;
      },
      close: () => this.#batcher.close(detector, closedError()),
    };
  }

  batchDone(): void {
    this.#thread.responded();
    this.#batcher.finish();
    // Windows that arrived during the run start immediately, unless larger batches are preferred.
    if (this.#batcher.isFull || this.#gatherMs() === 0) this.#runNext();
    else this.#gather();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#start?.cancel();
    this.#batcher.closeAll(closedError());
    await this.#thread[Symbol.asyncDispose]();
  }

  #push(detector: DetectorState, window: Int16Array): Promise<number> {
    if (detector.closed) return Promise.reject(closedError());
    if (!this.#thread.isReady) {
      return Promise.reject(new ProviderError(SILERO, 'unavailable', 'the thread is restarting'));
    }
    const probability = this.#batcher.add(detector, window);
    this.#gather();
    return probability;
  }

  #gather(): void {
    if (this.#start || this.#batcher.isRunning || this.#batcher.waitingWindows === 0) return;
    const gatherMs = this.#batcher.isFull ? 0 : this.#gatherMs();
    const run = (): void => this.#runNext();
    this.#start = gatherMs === 0 ? endOfTurn(run) : this.#clock.setTimer(gatherMs, run);
  }

  #runNext(): void {
    this.#start = undefined;
    if (this.#batcher.isRunning || this.#batcher.waitingWindows === 0 || !this.#thread.isReady) return;
    const batch = this.#batcher.start();
    this.#onBatch(batch.count);
    this.#thread.expectResponse();
    this.#request.send(batch);
  }
}

/** Runs after the current turn of the event loop has delivered all input. */
function endOfTurn(run: () => void): Timer {
  const handle = setImmediate(run);
  return { cancel: () => clearImmediate(handle) };
}
