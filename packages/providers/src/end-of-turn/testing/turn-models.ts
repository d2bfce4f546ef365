import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { OnnxGraph, type GraphValue } from '../../onnx/onnx-file.ts';
import type { TurnModelConfig } from '../turn-model-config.ts';

/** Small models with the inputs and outputs of published models. */
export const TURN_MODELS = { features: featureModel, steps: stepModel };

export async function writtenModel(path: string, content: Uint8Array): Promise<TurnModelConfig> {
  await writeFile(path, content);
  return { path, sha256: createHash('sha256').update(content).digest('hex') };
}

/**
 * Scores a turn as complete when its last 400 ms have more energy below about 600 Hz than from there to 1.5 kHz.
 * `batch` and `frames` are dimensions of the input.
 */
function featureModel(batch: number | 'batch' = 'batch', frames = 800): Uint8Array {
  const graph = new OnnxGraph();
  const mean = (from: number, to: number): string => {
    const last = graph.node('Slice', [
      'input_features',
      graph.integers(from, 760),
      graph.integers(to, 800),
      graph.integers(1, 2),
    ]);
    return graph.node('ReduceMean', [last], { axes: [1, 2], keepdims: 0 });
  };
  const difference = graph.node('Sub', [mean(0, 20), mean(20, 40)]);
  const scaled = graph.node('Mul', [difference, graph.constant(Float32Array.of(8), [1])]);
  graph.nodeInto(['logits'], 'Sigmoid', [scaled]);
  return graph.encode(
    [{ name: 'input_features', type: 'float32', dims: [batch, 80, frames] }],
    [{ name: 'logits', type: 'float32', dims: [batch] }],
  );
}

/** Scores a turn as complete when its last 20 ms are quieter than its loudest 20 ms, whose mean square is the state. */
function stepModel(): Uint8Array {
  const graph = new OnnxGraph();
  const parts = graph.node('Reshape', ['audio', graph.integers(8, 320)]);
  const levels = graph.node('ReduceMean', [graph.node('Mul', [parts, parts])], { axes: [1], keepdims: 0 });
  const loudest = graph.node('ReduceMax', [levels], { axes: [0], keepdims: 1 });
  graph.nodeInto(['new_state_loudest'], 'Max', ['state_loudest', loudest]);
  const share = graph.node('Div', [
    levels,
    graph.node('Max', ['new_state_loudest', graph.constant(Float32Array.of(1e-9), [1])]),
  ]);
  graph.nodeInto(['probs'], 'Sub', [graph.constant(Float32Array.of(1), [1]), share]);
  const state = (name: string): GraphValue => ({ name, type: 'float32', dims: [1] });
  return graph.encode(
    [{ name: 'audio', type: 'float32', dims: [1, 2560] }, state('state_loudest')],
    [{ name: 'probs', type: 'float32', dims: [8] }, state('new_state_loudest')],
  );
}
