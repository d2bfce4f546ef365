import { InferenceSession, Tensor } from 'onnxruntime-node';

/** Scores of the model, run as its authors do: one window of one call at a time, without the code of the engine. */
export async function referenceScores(modelPath: string, samples: Int16Array): Promise<number[]> {
  const session = await InferenceSession.create(modelPath, { intraOpNumThreads: 1 });
  const padded = [...new Array<number>(64).fill(0), ...Array.from(samples, (sample) => sample / 32_768)];
  let state = new Tensor('float32', new Float32Array(256), [2, 1, 128]);
  const probabilities: number[] = [];
  for (let end = 64 + 512; end <= padded.length; end += 512) {
    const outputs = await session.run({
      input: new Tensor('float32', padded.slice(end - 576, end), [1, 576]),
      state,
      sr: new Tensor('int64', [16_000n], []),
    });
    state = outputs['stateN'] as typeof state;
    probabilities.push(Number(outputs['output']?.data[0]));
  }
  await session.release();
  return probabilities;
}
