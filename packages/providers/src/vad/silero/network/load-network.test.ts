import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { humanVoice } from '@calls/testkit/speech/human-voice';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { bundledModelPath } from '../silero-engine.ts';
import { referenceScores } from '../testing/reference-scores.ts';
import { loadNetwork } from './load-network.ts';

describe('loadNetwork', () => {
  let folder: string;
  let speech: Int16Array[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'silero-'));
    speech = await Promise.all(
      (['Front_Left', 'Side_Right', 'Rear_Center'] as const).map((name) => humanVoice(name, 16_000)),
    );
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Loads the bundled model after a change of its bytes. */
  const formOf = async (change: (model: Buffer) => void): Promise<string> => {
    const model = await readFile(bundledModelPath());
    change(model);
    const path = join(folder, 'model.onnx');
    await writeFile(path, model);
    const { session, form } = await loadNetwork(path);
    await session.release();
    return form;
  };

  it.each(['v5', 'v6'])('returns the scores of Silero VAD %s on human speech in batches', async (version) => {
    const modelPath = bundledModelPath().replace('v6', version);
    const { session, form } = await loadNetwork(modelPath);
    expect(form).toBe('batched');
    for (let size = 1; size <= speech.length; size += 1) {
      const calls = speech.slice(0, size);
      const expected = await Promise.all(calls.map((samples) => referenceScores(modelPath, samples)));
      const actual = await scoresInBatches(session, calls);
      expect(Math.max(...expected.flat())).toBeGreaterThan(0.9);
      expected.forEach((scores, call) => {
        const differences = scores.map((score, window) => Math.abs(score - (actual[window]?.[call] ?? NaN)));
        expect(Math.max(...differences)).toBeLessThan(0.0001);
      });
    }
    await session.release();
  });

  it('loads a model with other names of weights in its original form', async () => {
    const form = await formOf((model) => {
      const name = 'encoder.3.reparam_conv.bias';
      for (let at = model.indexOf(name); at !== -1; at = model.indexOf(name, at)) model.write('E', at);
    });
    expect(form).toBe('original');
  });

  it('loads a model with a different computation on the same weights in its original form', async () => {
    const form = await formOf((model) => {
      // The exponent of the real parts in the spectrum becomes 4.
      const constant = model.indexOf('stft/Constant_22_output_0', model.indexOf('then_branch'));
      model.writeFloatLE(4, model.indexOf(Buffer.of(0, 0, 0, 0x40), constant));
    });
    expect(form).toBe('original');
  });
});

/** The scores of each window, by call. All calls are scored at once; shorter ones end with silence. */
async function scoresInBatches(session: InferenceSession, calls: readonly Int16Array[]): Promise<number[][]> {
  const scores: number[][] = [];
  let state: Tensor = new Tensor('float32', new Float32Array(2 * calls.length * 128), [2, calls.length, 128]);
  const end = Math.max(...calls.map((samples) => samples.length)) - 512;
  for (let start = 0; start <= end; start += 512) {
    const input = calls.flatMap((samples) =>
      Array.from({ length: 576 }, (_, i) => (samples[start - 64 + i] ?? 0) / 32_768),
    );
    const outputs = await session.run({
      input: new Tensor('float32', input, [calls.length, 576]),
      state,
      sr: new Tensor('int64', [16_000n], []),
    });
    state = outputs['stateN']!;
    scores.push([...(outputs['output']!.data as Float32Array)]);
  }
  return scores;
}
