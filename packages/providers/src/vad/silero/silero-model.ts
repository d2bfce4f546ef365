import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { WINDOW_SAMPLES, type BatchBuffer } from './batch-buffer.ts';
import type { SileroThreadData } from './messages.ts';
import { loadNetwork, type NetworkForm } from './network/load-network.ts';

/** The end of the previous window precedes each window. */
const CONTEXT_SAMPLES = 64;
const INPUT_SAMPLES = CONTEXT_SAMPLES + WINDOW_SAMPLES;
/** The recurrent state of one call: two rows of 128 values. */
const STATE_ROWS = 2;
const STATE_COLUMNS = 128;

export type ModelOptions = Pick<SileroThreadData, 'modelPath' | 'maxBatch' | 'form'>;

/** The model state of one call. */
interface CallState {
  context: Float32Array;
  rows: Float32Array;
}

/**
 * Silero VAD (v5 and v6): input float32 [N, 64 + 512], state [2, N, 128], sr int64; output [N, 1], stateN. Holds the
 * state of each slot. One run at a time; a run blocks its thread.
 */
export class SileroModel {
  readonly form: NetworkForm;
  readonly #session: InferenceSession;
  readonly #states: CallState[] = [];
  readonly #input: Float32Array;
  readonly #state: Float32Array;
  readonly #sampleRate = new Tensor('int64', BigInt64Array.of(BigInt(SPEECH_RATE_HZ)), []);

  private constructor(session: InferenceSession, form: NetworkForm, maxBatch: number) {
    this.#session = session;
    this.form = form;
    this.#input = new Float32Array(maxBatch * INPUT_SAMPLES);
    this.#state = new Float32Array(maxBatch * STATE_ROWS * STATE_COLUMNS);
  }

  static async load({ modelPath, maxBatch, form: only }: ModelOptions): Promise<SileroModel> {
    const { session, form } = await loadNetwork(modelPath, only);
    return new SileroModel(session, form, maxBatch);
  }

  /** Runs the first `count` entries and writes their probabilities. */
  async run(batch: BatchBuffer, count: number): Promise<void> {
    for (const entries of inRounds(batch.slots, count)) await this.#runRound(batch, entries);
  }

  async #runRound(batch: BatchBuffer, entries: readonly number[]): Promise<void> {
    const count = entries.length;
    entries.forEach((entry, place) => this.#gather(batch, entry, place, count));
    const outputs = await this.#session.run({
      input: new Tensor('float32', this.#input.subarray(0, count * INPUT_SAMPLES), [count, INPUT_SAMPLES]),
      state: new Tensor('float32', this.#state.subarray(0, count * STATE_ROWS * STATE_COLUMNS), [
        STATE_ROWS,
        count,
        STATE_COLUMNS,
      ]),
      sr: this.#sampleRate,
    });
    const probabilities = floats(outputs, 'output', count);
    const states = floats(outputs, 'stateN', count * STATE_ROWS * STATE_COLUMNS);
    entries.forEach((entry, place) => {
      batch.probabilities[entry] = probabilities[place] ?? 0;
      this.#scatter(batch, entry, place, count, states);
    });
  }

  #gather(batch: BatchBuffer, entry: number, place: number, count: number): void {
    const call = this.#call(batch.slots[entry] ?? 0);
    if (batch.fresh[entry] === 1) {
      call.context.fill(0);
      call.rows.fill(0);
    }
    const input = this.#input;
    const inputStart = place * INPUT_SAMPLES;
    input.set(call.context, inputStart);
    const windowStart = entry * WINDOW_SAMPLES;
    const samplesStart = inputStart + CONTEXT_SAMPLES;
    for (let i = 0; i < WINDOW_SAMPLES; i += 1) {
      input[samplesStart + i] = (batch.windows[windowStart + i] ?? 0) / 32_768;
    }
    const inputEnd = inputStart + INPUT_SAMPLES;
    call.context.set(input.subarray(inputEnd - CONTEXT_SAMPLES, inputEnd));
    for (let row = 0; row < STATE_ROWS; row += 1) {
      const values = call.rows.subarray(row * STATE_COLUMNS, (row + 1) * STATE_COLUMNS);
      this.#state.set(values, (row * count + place) * STATE_COLUMNS);
    }
  }

  #scatter(batch: BatchBuffer, entry: number, place: number, count: number, states: Float32Array): void {
    const call = this.#call(batch.slots[entry] ?? 0);
    for (let row = 0; row < STATE_ROWS; row += 1) {
      const start = (row * count + place) * STATE_COLUMNS;
      call.rows.set(states.subarray(start, start + STATE_COLUMNS), row * STATE_COLUMNS);
    }
  }

  #call(slot: number): CallState {
    return (this.#states[slot] ??= {
      context: new Float32Array(CONTEXT_SAMPLES),
      rows: new Float32Array(STATE_ROWS * STATE_COLUMNS),
    });
  }
}

/** Splits entries into rounds: each round has at most one window per slot, in order. */
function inRounds(slots: Int32Array, count: number): number[][] {
  const rounds: number[][] = [];
  const entered = new Map<number, number>();
  for (let entry = 0; entry < count; entry += 1) {
    const slot = slots[entry] ?? 0;
    const round = entered.get(slot) ?? 0;
    entered.set(slot, round + 1);
    (rounds[round] ??= []).push(entry);
  }
  return rounds;
}

function floats(outputs: InferenceSession.ReturnType, name: string, length: number): Float32Array {
  const data = outputs[name]?.data;
  if (!(data instanceof Float32Array) || data.length !== length) {
    throw new Error(`the model output ${name} must have ${length} numbers: is this Silero VAD v5 or v6?`);
  }
  return data;
}
