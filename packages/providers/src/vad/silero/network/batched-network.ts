import { branchConstants, OnnxGraph, type FloatTensor, type GraphValue } from '../../../onnx/onnx-file.ts';

/** The weights of Silero VAD v5 and v6 at 16 kHz: shape by the end of the name. */
const SHAPES = {
  'stft.forward_basis_buffer': [258, 1, 256],
  'encoder.0.reparam_conv.weight': [128, 129, 3],
  'encoder.0.reparam_conv.bias': [128],
  'encoder.1.reparam_conv.weight': [64, 128, 3],
  'encoder.1.reparam_conv.bias': [64],
  'encoder.2.reparam_conv.weight': [64, 64, 3],
  'encoder.2.reparam_conv.bias': [64],
  'encoder.3.reparam_conv.weight': [128, 64, 3],
  'encoder.3.reparam_conv.bias': [128],
  'decoder.rnn.weight_ih': [512, 128],
  'decoder.rnn.weight_hh': [512, 128],
  'decoder.rnn.bias_ih': [512],
  'decoder.rnn.bias_hh': [512],
  'decoder.decoder.2.weight': [1, 128, 1],
  'decoder.decoder.2.bias': [1],
} as const;

type WeightName = keyof typeof SHAPES;
type Weights = Readonly<Record<WeightName, FloatTensor>>;

const CONVOLUTIONS = [
  { name: 'encoder.0.reparam_conv', stride: 1 },
  { name: 'encoder.1.reparam_conv', stride: 2 },
  { name: 'encoder.2.reparam_conv', stride: 2 },
  { name: 'encoder.3.reparam_conv', stride: 1 },
] as const;

const FRAME_SAMPLES = 256;
const HOP_SAMPLES = 128;
/** Samples from each end of a frame to its middle. */
const HALF_SAMPLES = 128;
const FREQUENCIES = 129;
const UNITS = 128;

const INPUTS: readonly GraphValue[] = [
  { name: 'input', type: 'float32', dims: ['N', 576] },
  { name: 'state', type: 'float32', dims: [2, 'N', UNITS] },
  // Not used: the network is for 16 kHz.
  { name: 'sr', type: 'int64', dims: [] },
];
const OUTPUTS: readonly GraphValue[] = [
  { name: 'output', type: 'float32', dims: ['N', 1] },
  { name: 'stateN', type: 'float32', dims: [2, 'N', UNITS] },
];

/**
 * Writes the network of a Silero VAD model for 16 kHz with the same weights, inputs and outputs, so that each step is
 * one multiplication of matrices for the whole batch. The original runs each convolution window by window. Undefined
 * if the model does not have the known weights.
 *
 * In matrices of several frames, rows are by frame, then by window: row `frame * N + window`.
 */
export function batchedNetwork(model: Uint8Array): Uint8Array | undefined {
  const weights = readWeights(model);
  if (!weights) return undefined;
  const graph = new OnnxGraph();
  const magnitudes = addSpectrum(graph, weights['stft.forward_basis_buffer']);
  const perFrame = ['frame0', 'frame1', 'frame2', 'frame3'] as const;
  let frames: readonly string[] = graph.nodeInto(perFrame, 'Split', [magnitudes], { axis: 0 });
  for (const { name, stride } of CONVOLUTIONS) {
    frames = addConvolution(graph, frames, weights[`${name}.weight`], weights[`${name}.bias`], stride);
  }
  addDecoder(graph, frames, weights);
  return graph.encode(INPUTS, OUTPUTS);
}

function readWeights(model: Uint8Array): Weights | undefined {
  const constants = [...branchConstants(model, 'then_branch')];
  const weights: Partial<Record<WeightName, FloatTensor>> = {};
  for (const [name, shape] of Object.entries(SHAPES)) {
    const found = constants.find(([key]) => key.endsWith(name))?.[1];
    if (found?.dims.join() !== shape.join()) return undefined;
    weights[name as WeightName] = found;
  }
  return weights as Weights;
}

/**
 * Windowed Fourier transform: 640 samples (the input, and its end reflected) → magnitudes of four frames.
 * In a frame, cosines are equal and sines opposite at the same distance from its middle. So half of the
 * multiplications are enough: of cosines with sums and of sines with differences of two samples.
 */
function addSpectrum(graph: OnnxGraph, { data: basis }: FloatTensor): string {
  const samples = graph.node('Pad', ['input', graph.integers(0, 0, 0, 64)], { mode: 'reflect' });
  const columns = (of: string, start: number, end: number, step = 1): string =>
    graph.node('Slice', [of, ...[start, end, 1, step].map((value) => graph.integers(value))]);
  const starts = [0, 1, 2, 3].map((frame) => frame * HOP_SAMPLES);
  const rows = starts.map((start) => columns(samples, start, start + FRAME_SAMPLES));
  const frames = graph.node('Concat', rows, { axis: 0 });
  // The first sample of a frame has weight 0.
  const forwards = columns(frames, 1, HALF_SAMPLES + 1);
  const backwards = columns(frames, FRAME_SAMPLES - 1, HALF_SAMPLES - 1, -1);
  // The middle is its own counterpart: its sum is twice the sample.
  const halved = basis.map((value, i) => (i % FRAME_SAMPLES === HALF_SAMPLES ? value / 2 : value));
  const half = (firstRow: number): string =>
    addMatrix(
      graph,
      halved,
      HALF_SAMPLES,
      FREQUENCIES,
      (sample, frequency) => (firstRow + frequency) * FRAME_SAMPLES + sample + 1,
    );
  const real = graph.node('MatMul', [graph.node('Add', [forwards, backwards]), half(0)]);
  const imaginary = graph.node('MatMul', [graph.node('Sub', [forwards, backwards]), half(FREQUENCIES)]);
  const squares = [real, imaginary].map((part) => graph.node('Mul', [part, part]));
  return graph.node('Sqrt', [graph.node('Add', squares)]);
}

/** Convolution with kernel 3 and ReLU: an output frame depends on a frame and its neighbours; those outside are 0. */
function addConvolution(
  graph: OnnxGraph,
  frames: readonly string[],
  { dims, data }: FloatTensor,
  bias: FloatTensor,
  stride: number,
): string[] {
  const [outputs = 0, inputs = 0, taps = 0] = dims;
  const biasRow = graph.constant(bias.data, bias.dims);
  const matrices: Record<string, string> = {};
  const results: string[] = [];
  for (let centre = 0; centre < frames.length; centre += stride) {
    const used = [0, 1, 2].filter((tap) => frames[centre + tap - 1] !== undefined);
    const matrix = (matrices[used.join()] ??= addMatrix(
      graph,
      data,
      used.length * inputs,
      outputs,
      (row, output) => (output * inputs + (row % inputs)) * taps + (used[Math.floor(row / inputs)] ?? 0),
    ));
    const neighbours = frames.slice(Math.max(0, centre - 1), centre + 2);
    const rows = graph.node('Concat', neighbours, { axis: 1 });
    results.push(graph.node('Relu', [graph.node('Gemm', [rows, matrix, biasRow])]));
  }
  return results;
}

/** One step of the LSTM, then ReLU, weighted sum and sigmoid. */
function addDecoder(graph: OnnxGraph, frames: readonly string[], weights: Weights): void {
  const oneStep = graph.node('Unsqueeze', [frames[0] ?? '', graph.integers(0)]);
  const gates = (name: 'weight_ih' | 'weight_hh' | 'bias_ih' | 'bias_hh'): Float32Array =>
    inOnnxOrder(weights[`decoder.rnn.${name}`].data);
  const inputWeights = graph.constant(gates('weight_ih'), [1, 4 * UNITS, UNITS]);
  const recurrentWeights = graph.constant(gates('weight_hh'), [1, 4 * UNITS, UNITS]);
  const bias = graph.constant(Float32Array.of(...gates('bias_ih'), ...gates('bias_hh')), [1, 8 * UNITS]);
  const [hidden, cell] = graph.nodeInto(['hidden', 'cell'], 'Split', ['state'], { axis: 0 });
  // An empty name: not given or not needed, here the lengths of sequences and the outputs of all steps.
  const [, nextHidden, nextCell] = graph.nodeInto(
    ['', 'nextHidden', 'nextCell'],
    'LSTM',
    [oneStep, inputWeights, recurrentWeights, bias, '', hidden, cell],
    { hidden_size: UNITS },
  );
  graph.nodeInto(['stateN'], 'Concat', [nextHidden, nextCell], { axis: 0 });
  const active = graph.node('Reshape', [graph.node('Relu', [nextHidden]), graph.integers(-1, UNITS)]);
  const outputWeights = graph.constant(weights['decoder.decoder.2.weight'].data, [UNITS, 1]);
  const outputBias = graph.constant(weights['decoder.decoder.2.bias'].data, [1]);
  graph.nodeInto(['output'], 'Sigmoid', [graph.node('Gemm', [active, outputWeights, outputBias])]);
}

/** Gates of an LSTM: PyTorch has input, forget, cell, output; ONNX has input, output, forget, cell. */
function inOnnxOrder(values: Float32Array): Float32Array {
  const ordered = new Float32Array(values.length);
  const size = values.length / 4;
  [0, 3, 1, 2].forEach((gate, place) =>
    ordered.set(values.subarray(gate * size, (gate + 1) * size), place * size),
  );
  return ordered;
}

/** Adds a matrix of values at the given indices of `data`. */
function addMatrix(
  graph: OnnxGraph,
  data: Float32Array,
  rows: number,
  columns: number,
  indexOf: (row: number, column: number) => number,
): string {
  const matrix = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      matrix[row * columns + column] = data[indexOf(row, column)] ?? 0;
    }
  }
  return graph.constant(matrix, [rows, columns]);
}
