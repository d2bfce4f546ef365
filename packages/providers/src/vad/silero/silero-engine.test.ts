import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { VAD_WINDOW_SAMPLES, type VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { createLogger, silentLogger } from '@calls/foundation/logger';
import {
  describeVoiceActivity,
  judgeInTurn,
  windowsOfSamples,
} from '@calls/testkit/conformance/voice-activity';
import { humanVoice } from '@calls/testkit/speech/human-voice';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { bundledModelPath, createSileroEngine, type SileroOptions } from './silero-engine.ts';
import { startSileroWorker, type StartWorker } from './start-silero-worker.ts';
import { referenceScores } from './testing/reference-scores.ts';

const create = (options: Partial<SileroOptions> = {}): Promise<VoiceActivityEngine> =>
  createSileroEngine({ log: silentLogger, ...options });

describeVoiceActivity('Silero', { create });
describeVoiceActivity('Silero in batches of two', { create: () => create({ maxBatch: 2 }) });

describe('createSileroEngine', () => {
  const engines: VoiceActivityEngine[] = [];
  const createOwn = async (
    startWorker: StartWorker,
    options: Partial<SileroOptions> = {},
  ): Promise<VoiceActivityEngine> => {
    const engine = await createSileroEngine({ log: silentLogger, ...options }, { startWorker });
    engines.push(engine);
    return engine;
  };
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine[Symbol.asyncDispose]();
  });
  const window = new Int16Array(VAD_WINDOW_SAMPLES);

  it('returns the same scores as the model run window by window, and logs the form of the model', async () => {
    const logLines: string[] = [];
    const log = createLogger(
      { service: 'test', level: 'info', logPii: false },
      { write: (line) => void logLines.push(line) },
    );
    const samples = await humanVoice('Side_Right', 16_000);
    const expected = await referenceScores(bundledModelPath(), samples);
    const actual = await judgeInTurn(
      (await createOwn(startSileroWorker, { log })).createDetector(),
      windowsOfSamples(samples),
    );
    expect(actual).toHaveLength(expected.length);
    actual.forEach((probability, i) => {
      expect(probability).toBeCloseTo(expected[i]!, 5);
    });
    expect(Math.max(...actual)).toBeGreaterThan(0.9);
    expect(logLines).toEqual([expect.stringContaining('"form":"batched"')]);
  });

  it('fails with "unavailable" when the model file is missing or invalid', async () => {
    for (const modelPath of ['/nowhere/model.onnx', import.meta.filename]) {
      await expect(create({ modelPath })).rejects.toMatchObject({ kind: 'unavailable' });
    }
  });

  it('rejects windows beyond the limit of pending windows, and accepts later ones', async () => {
    const detector = (await createOwn(startSileroWorker, { maxPendingPerDetector: 4 })).createDetector();
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => detector.push(window)));
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      ...Array.from({ length: 4 }, () => 'fulfilled'),
      'rejected',
      'rejected',
    ]);
    expect(outcomes[5]).toMatchObject({ reason: { kind: 'timeout', retryable: true } });
    expect(await detector.push(window)).toBeLessThan(0.5);
  });

  it('runs a batch immediately, or after gatherMs when that is set', async () => {
    const clock = new VirtualClock();
    const prompt = (await createOwn(startSileroWorker, { clock })).createDetector();
    expect(await prompt.push(window)).toBeLessThan(0.5);
    const gathering = await createOwn(startSileroWorker, { clock, gatherMs: 5 });
    const answers: number[] = [];
    const detectors = Array.from({ length: 3 }, () => gathering.createDetector());
    const asked = detectors.map((detector) => detector.push(window).then((answer) => answers.push(answer)));
    await clock.advance(4);
    expect(await prompt.push(window)).toBeLessThan(0.5);
    expect(answers).toEqual([]);
    await clock.advance(1);
    await Promise.all(asked);
    expect(answers).toHaveLength(3);
  });

  it('gathers windows automatically while there are enough calls', async () => {
    const clock = new VirtualClock();
    const engine = await createOwn(startSileroWorker, { clock });
    const detectors = Array.from({ length: 20 }, () => engine.createDetector());
    let answers = 0;
    const asked = detectors.map((detector) => detector.push(window).then(() => (answers += 1)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(answers).toBe(0);
    await clock.advance(4);
    await Promise.all(asked);
    detectors.pop()?.close();
    expect(await detectors[0]?.push(window)).toBeLessThan(0.5);
  });

  it('rejects pending windows when its thread dies, starts another, and returns the same scores as before', async () => {
    const speech = windowsOfSamples(await humanVoice('Rear_Left', 16_000));
    const workers: Worker[] = [];
    const ready: Promise<unknown>[] = [];
    const engine = await createOwn((workerData) => {
      const worker = startSileroWorker(workerData);
      workers.push(worker);
      ready.push(once(worker, 'message'));
      return worker;
    });
    const detector = engine.createDetector();
    const before = await judgeInTurn(detector, speech);
    for (let death = 1; death <= 3; death += 1) {
      const outcomes = Promise.allSettled(Array.from({ length: 10 }, () => detector.push(window)));
      await workers.at(-1)?.terminate();
      for (const outcome of await outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } });
      }
      await expect(detector.push(window)).rejects.toThrow(ProviderError);
      await eventually(() => workers.length === death + 1);
      await ready.at(-1);
      expect(await judgeInTurn(detector, speech)).toEqual(before);
    }
  });

  it('replaces a thread that hangs', async () => {
    const clock = new VirtualClock();
    const workers: Worker[] = [];
    const ready: Promise<unknown>[] = [];
    const engine = await createOwn(
      (workerData) => {
        const hangs =
          "require('node:worker_threads').parentPort.postMessage({ type: 'ready' }); setInterval(() => 0, 1000)";
        const worker =
          workers.length === 0 ? new Worker(hangs, { eval: true }) : startSileroWorker(workerData);
        workers.push(worker);
        ready.push(once(worker, 'message'));
        return worker;
      },
      { clock },
    );
    const detector = engine.createDetector();
    const outcome = Promise.allSettled([detector.push(window)]);
    // Time during which the process was paused does not count.
    clock.pause(45_000);
    await clock.advance(4999);
    expect(workers[0]!.threadId).toBeGreaterThan(0);
    const ended = once(workers[0]!, 'exit');
    await clock.advance(2);
    await ended;
    expect((await outcome)[0]).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } });
    await clock.advance(1000);
    await ready[1];
    expect(await detector.push(window)).toBeLessThan(0.5);
  });

  it('lets its thread finish a run and exit on disposal, since terminating native code aborts the process', async () => {
    const workers: Worker[] = [];
    const engine = await createOwn((workerData) => {
      workers.push(startSileroWorker(workerData));
      return workers[0]!;
    });
    const exit = once(workers[0]!, 'exit');
    const detectors = Array.from({ length: 16 }, () => engine.createDetector());
    const outcomes = Promise.allSettled(detectors.map((detector) => detector.push(window)));
    await engine[Symbol.asyncDispose]();
    expect(await exit).toEqual([0]);
    for (const { status } of await outcomes) expect(status).toBe('rejected');
  });

  it('restarts threads that die at their start, with increasing delays', async () => {
    const clock = new VirtualClock();
    const workers: Worker[] = [];
    const ended: Promise<unknown>[] = [];
    const engine = await createOwn(
      (workerData) => {
        const worker =
          workers.length === 0
            ? startSileroWorker(workerData)
            : new Worker('process.exit(3)', { eval: true });
        workers.push(worker);
        ended.push(once(worker, 'exit'));
        return worker;
      },
      { clock },
    );
    for (let death = 1; death <= 6; death += 1) {
      if (death === 1) await workers[0]?.terminate();
      await ended.at(-1);
      await clock.advance(0);
      const delayMs = 50 * 2 ** (death - 1);
      await clock.advance(delayMs - 1);
      expect(workers).toHaveLength(death);
      await clock.advance(1);
      expect(workers).toHaveLength(death + 1);
    }
    await expect(engine.createDetector().push(window)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
