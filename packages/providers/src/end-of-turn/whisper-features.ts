import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { MAX_TURN_SAMPLES } from '@calls/engine-ports/turn-completion-model';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { OnnxGraph } from '../onnx/onnx-file.ts';

/** The input of Whisper, as transformers' `WhisperFeatureExtractor(chunk_length=8)` computes it with `do_normalize`. */
export const MEL_BANDS = 80;
export const FRAMES = 800;

const WINDOW_SAMPLES = 400;
const HOP_SAMPLES = 160;
/** Frames are centred; the signal is mirrored at its ends. */
const MARGIN_SAMPLES = WINDOW_SAMPLES / 2;
const SIGNAL_SAMPLES = MAX_TURN_SAMPLES + 2 * MARGIN_SAMPLES;
const BINS = WINDOW_SAMPLES / 2 + 1;
/** Lower bound of powers. They are also raised to 10 ** -RANGE_DECADES of the loudest. */
const LEAST_POWER = 1e-10;
const RANGE_DECADES = 8;
const VARIANCE_FLOOR = 1e-7;

/** Computes the log-mel features [MEL_BANDS, FRAMES] of the last 8 s of turns; zeros precede shorter ones. */
export class WhisperFeatures {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  /**
   * Computes the spectrum and the mel bands as matrix multiplications in the ONNX runtime, which is some 20 times as
   * fast.
   */
  static async create(options: InferenceSession.SessionOptions): Promise<WhisperFeatures> {
    return new WhisperFeatures(await InferenceSession.create(featureGraph(), options));
  }

  /** float32 [turns, MEL_BANDS, FRAMES]. */
  async of(turns: readonly Int16Array[]): Promise<Tensor> {
    const signals = new Float32Array(turns.length * SIGNAL_SAMPLES);
    turns.forEach((turn, i) =>
      writeSignal(turn, signals.subarray(i * SIGNAL_SAMPLES, (i + 1) * SIGNAL_SAMPLES)),
    );
    const { features } = await this.#session.run({
      signals: new Tensor('float32', signals, [turns.length, 1, SIGNAL_SAMPLES]),
    });
    if (!(features instanceof Tensor)) throw new Error('no features were computed');
    return features;
  }
}

/** Mean 0 and variance 1 over all 8 s, the zeros included; then mirrored at both ends. */
function writeSignal(turn: Int16Array, signal: Float32Array): void {
  const samples = turn.subarray(-MAX_TURN_SAMPLES);
  let [sum, squares] = [0, 0];
  for (const sample of samples) {
    const value = sample / 32_768;
    sum += value;
    squares += value * value;
  }
  const mean = sum / MAX_TURN_SAMPLES;
  const deviation = Math.sqrt(squares / MAX_TURN_SAMPLES - mean * mean + VARIANCE_FLOOR);
  const end = MARGIN_SAMPLES + MAX_TURN_SAMPLES;
  signal.fill(-mean / deviation);
  for (let i = 1; i <= samples.length; i += 1)
    signal[end - i] = ((samples[samples.length - i] ?? 0) / 32_768 - mean) / deviation;
  for (let i = 1; i <= MARGIN_SAMPLES; i += 1) {
    signal[MARGIN_SAMPLES - i] = signal[MARGIN_SAMPLES + i] ?? 0;
    signal[end - 1 + i] = signal[end - 1 - i] ?? 0;
  }
}

function featureGraph(): Uint8Array {
  const graph = new OnnxGraph();
  const scalar = (value: number): string => graph.constant(Float32Array.of(value), [1]);
  const spectrum = (part: (angle: number) => number): string => {
    const taps = Float32Array.from({ length: BINS * WINDOW_SAMPLES }, (_, i) => {
      const [bin, at] = [Math.floor(i / WINDOW_SAMPLES), i % WINDOW_SAMPLES];
      const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / WINDOW_SAMPLES);
      return hann * part((2 * Math.PI * ((bin * at) % WINDOW_SAMPLES)) / WINDOW_SAMPLES);
    });
    const weights = graph.constant(taps, [BINS, 1, WINDOW_SAMPLES]);
    const values = graph.node('Conv', ['signals', weights], { strides: [HOP_SAMPLES] });
    return graph.node('Mul', [values, values]);
  };
  const powers = graph.node('Add', [spectrum(Math.cos), spectrum(Math.sin)]);
  // The last of the 801 frames is not used.
  const range = [graph.integers(0), graph.integers(FRAMES), graph.integers(2)];
  const used = graph.node('Slice', [powers, ...range]);
  const bands = graph.node('MatMul', [graph.constant(melWeights(), [MEL_BANDS, BINS]), used]);
  const log = graph.node('Log', [graph.node('Max', [bands, scalar(LEAST_POWER)])]);
  const decades = graph.node('Mul', [log, scalar(Math.LOG10E)]);
  const loudest = graph.node('ReduceMax', [decades], { axes: [1, 2], keepdims: 1 });
  const floored = graph.node('Max', [decades, graph.node('Sub', [loudest, scalar(RANGE_DECADES)])]);
  graph.nodeInto(['features'], 'Div', [graph.node('Add', [floored, scalar(4)]), scalar(4)]);
  return graph.encode(
    [{ name: 'signals', type: 'float32', dims: ['N', 1, SIGNAL_SAMPLES] }],
    [{ name: 'features', type: 'float32', dims: ['N', MEL_BANDS, FRAMES] }],
  );
}

/** Slaney's mel scale: linear below 1 kHz, logarithmic above. */
function hertzOfMel(mel: number): number {
  return mel < 15 ? (mel * 200) / 3 : 1000 * Math.exp((Math.log(6.4) / 27) * (mel - 15));
}

/** Triangles of equal area, equally spaced on the mel scale from 0 to 8 kHz: [MEL_BANDS, BINS]. */
function melWeights(): Float32Array {
  const lastMel = 15 + (Math.log(8) * 27) / Math.log(6.4);
  const edges = Array.from({ length: MEL_BANDS + 2 }, (_, i) => hertzOfMel((lastMel * i) / (MEL_BANDS + 1)));
  return Float32Array.from({ length: MEL_BANDS * BINS }, (_, i) => {
    const band = Math.floor(i / BINS);
    const [low = 0, centre = 0, high = 0] = edges.slice(band, band + 3);
    const hertz = ((i % BINS) * SPEECH_RATE_HZ) / WINDOW_SAMPLES;
    const weight = Math.min((hertz - low) / (centre - low), (high - hertz) / (high - centre));
    return (Math.max(0, weight) * 2) / (high - low);
  });
}
