import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { batchedNetwork } from './batched-network.ts';

/** `batched`: rewritten for batches; `original`: as in the model's file. */
export type NetworkForm = 'batched' | 'original';

const OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
};

/** Largest difference of outputs between both forms, which add in different order; on speech it is below 0.00001. */
const TOLERANCE = 0.0001;
/** Amplitudes of the tone in the checked runs. */
const AMPLITUDES = [0.5, 0.005, 0];
const CALLS = AMPLITUDES.length;
const CHECKED_WINDOWS = 4;

/**
 * Loads a Silero VAD model. It runs in the form for batches if that has the outputs of the original, and otherwise
 * as it is in the file; `only` asks for that.
 */
export async function loadNetwork(
  modelPath: string,
  only?: 'original',
): Promise<{ session: InferenceSession; form: NetworkForm }> {
  const original = await InferenceSession.create(modelPath, OPTIONS);
  const rewritten = only ? undefined : batchedNetwork(await readFile(modelPath));
  if (!rewritten) return { session: original, form: 'original' };
  const batched = await InferenceSession.create(rewritten, OPTIONS);
  if (await agree(original, batched)) {
    await original.release();
    return { session: batched, form: 'batched' };
  }
  await batched.release();
  return { session: original, form: 'original' };
}

/** Runs both on a loud and a quiet tone with rising frequency, and on silence. */
async function agree(original: InferenceSession, batched: InferenceSession): Promise<boolean> {
  const sr = new Tensor('int64', BigInt64Array.of(16_000n), []);
  let state: Tensor = new Tensor('float32', new Float32Array(2 * CALLS * 128), [2, CALLS, 128]);
  for (let window = 0; window < CHECKED_WINDOWS; window += 1) {
    const samples = Float32Array.from({ length: CALLS * 576 }, (_, i) => {
      const amplitude = AMPLITUDES[Math.floor(i / 576)] ?? 0;
      return amplitude * Math.sin((window * 512 + (i % 576)) ** 2 / 1000);
    });
    const feeds = { input: new Tensor('float32', samples, [CALLS, 576]), state, sr };
    const [expected, actual] = [await original.run(feeds), await batched.run(feeds)];
    for (const name of ['output', 'stateN']) {
      if (!isClose(expected[name]?.data, actual[name]?.data)) return false;
    }
    state = expected['stateN'] ?? state;
  }
  return true;
}

function isClose(a: Tensor.DataType | undefined, b: Tensor.DataType | undefined): boolean {
  if (!(a instanceof Float32Array) || !(b instanceof Float32Array) || a.length !== b.length) return false;
  return a.every((value, i) => Math.abs(value - (b[i] ?? NaN)) <= TOLERANCE);
}
