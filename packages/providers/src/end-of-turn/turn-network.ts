import { MAX_TURN_SAMPLES } from '@calls/engine-ports/turn-completion-model';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { FRAMES, MEL_BANDS, WhisperFeatures } from './whisper-features.ts';

/**
 * The inputs and outputs of a model.
 * - `features`: float32 [N or 1, 80, 800], the log-mel features of Whisper; one output with a probability for each turn
 *   (Smart Turn v3).
 * - `steps`: `audio` float32 [1, samples] and tensors `state_…`; outputs `probs`, the probabilities at the end of equal
 *   parts of the step, and `new_state_…` (turn-1-mini).
 */
export type TurnModelForm = 'features' | 'steps';

/** An end-of-turn model. One run at a time; a run blocks its thread. */
export interface TurnNetwork {
  readonly form: TurnModelForm;
  /** The probability that each of these turns is complete; NaN if the model returns none. */
  run(turns: readonly Int16Array[]): Promise<number[]>;
}

const OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
};
const FULL_SCALE = 32_768;

/** Loads a model and runs it on silence. Throws an Error that says what is wrong with the file. */
export async function loadTurnNetwork(modelPath: string): Promise<TurnNetwork> {
  const session = await InferenceSession.create(modelPath, OPTIONS);
  const network = (await featureNetwork(session)) ?? stepNetwork(session);
  if (!network) {
    throw new Error(
      `it takes ${described(session.inputMetadata)} and returns ${described(session.outputMetadata)}; expected float32 ` +
        `features [N, ${MEL_BANDS}, ${FRAMES}] and one output, or audio [1, samples], state_… and probs, new_state_…`,
    );
  }
  const probabilities = await network.run([new Int16Array(MAX_TURN_SAMPLES)]);
  if (probabilities.length !== 1 || Number.isNaN(probabilities[0]))
    throw new Error('it does not return one probability from 0 to 1 for each turn');
  return network;
}

type TensorMetadata = InferenceSession.ValueMetadata & { isTensor: true };

function tensors(metadata: readonly InferenceSession.ValueMetadata[]): TensorMetadata[] {
  return metadata.filter((value): value is TensorMetadata => value.isTensor);
}

function described(metadata: readonly InferenceSession.ValueMetadata[]): string {
  return tensors(metadata)
    .map(({ name, type, shape }) => `${name} ${type} [${shape.join(', ')}]`)
    .join(', ');
}

/** Null if the model has other inputs. */
async function featureNetwork(session: InferenceSession): Promise<TurnNetwork | null> {
  const [input, ...others] = tensors(session.inputMetadata);
  const output = session.outputNames[0];
  if (!input || others.length > 0 || output === undefined || input.type !== 'float32') return null;
  const [batch, bands, frames] = input.shape;
  if (input.shape.length !== 3 || bands !== MEL_BANDS || frames !== FRAMES) return null;
  // Models with a batch of one run turn by turn.
  const maxBatch = typeof batch === 'number' && batch > 0 ? batch : Infinity;
  if (maxBatch !== Infinity && maxBatch !== 1) return null;
  const features = await WhisperFeatures.create(OPTIONS);
  const runBatch = async (turns: readonly Int16Array[]): Promise<number[]> => {
    const outputs = await session.run({ [input.name]: await features.of(turns) });
    const found = numbersOf(outputs[output]);
    return found.length === turns.length ? found.map(probability) : turns.map(() => NaN);
  };
  return {
    form: 'features',
    run: async (turns) => {
      if (maxBatch !== 1) return runBatch(turns);
      const found: number[] = [];
      for (const turn of turns) found.push(...(await runBatch([turn])));
      return found;
    },
  };
}

/** Null if the model has other inputs. */
function stepNetwork(session: InferenceSession): TurnNetwork | null {
  const inputs = tensors(session.inputMetadata);
  const audio = inputs.find(({ name }) => name === 'audio');
  const states = inputs.filter(({ name }) => name.startsWith('state_'));
  const stepSamples = audio?.shape[1];
  const isFixed = states.every(({ type, shape }) => type === 'float32' && shape.every(isSize));
  const hasOutputs = ['probs', ...states.map(({ name }) => `new_${name}`)].every((name) =>
    session.outputNames.includes(name),
  );
  if (audio?.type !== 'float32' || audio.shape.length !== 2 || !isSize(stepSamples)) return null;
  if (stepSamples > MAX_TURN_SAMPLES || inputs.length !== 1 + states.length || !isFixed || !hasOutputs)
    return null;
  const judge = async (turn: Int16Array): Promise<number> => {
    const samples = turn.subarray(-MAX_TURN_SAMPLES);
    let feeds: Record<string, Tensor> = Object.fromEntries(
      states.map(({ name, shape }) => {
        const sizes = shape.filter(isSize);
        const length = sizes.reduce((product, size) => product * size, 1);
        return [name, new Tensor('float32', new Float32Array(length), sizes)];
      }),
    );
    let latest = NaN;
    for (let start = 0; start < samples.length; start += stepSamples) {
      const step = new Float32Array(stepSamples);
      samples.subarray(start, start + stepSamples).forEach((sample, i) => (step[i] = sample / FULL_SCALE));
      const outputs = await session.run({ ...feeds, audio: new Tensor('float32', step, [1, stepSamples]) });
      const found = numbersOf(outputs['probs']);
      // The last step may end with padding: counts the parts that are all audio.
      const parts = Math.floor((found.length * Math.min(stepSamples, samples.length - start)) / stepSamples);
      if (parts > 0) latest = probability(found[parts - 1] ?? NaN);
      feeds = Object.fromEntries(
        states.flatMap(({ name }) => {
          const state = outputs[`new_${name}`];
          return state instanceof Tensor ? [[name, state]] : [];
        }),
      );
    }
    return latest;
  };
  return {
    form: 'steps',
    run: async (turns) => {
      const found: number[] = [];
      for (const turn of turns) found.push(await judge(turn));
      return found;
    },
  };
}

function isSize(size: number | string | undefined): size is number {
  return typeof size === 'number' && size > 0;
}

function numbersOf(tensor: { data: unknown } | undefined): number[] {
  return tensor?.data instanceof Float32Array ? [...tensor.data] : [];
}

function probability(value: number): number {
  return value >= 0 && value <= 1 ? value : NaN;
}
