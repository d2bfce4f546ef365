import type { MoonshineFiles } from '../stt/moonshine/recognizer.ts';

/** Start parameters of a model process. */
export type ModelSpec = SherpaOnnxSpec | { engine: 'moonshine'; files: MoonshineFiles };

export interface SherpaOnnxSpec {
  engine: 'sherpa-onnx';
  role: 'stt' | 'tts';
  /** In the library's own format. */
  config: object;
}

export type ModelJob =
  | { type: 'transcribe'; samples: Int16Array; sampleRateHz: number }
  | { type: 'speak'; text: string; speakerId: number; speed: number };

/** Owner → model process. `load` comes first. A job may follow only when the one before is done. */
export type ModelRequest =
  | { type: 'load'; spec: ModelSpec }
  | { type: 'run'; job: ModelJob }
  /** Stops the current job. Its `done` still follows. */
  | { type: 'stop' };

export type ModelOutput =
  | { type: 'text'; text: string }
  | { type: 'audio'; samples: Int16Array; sampleRateHz: number };

/**
 * Model process → owner. If the model cannot be loaded, the process exits: the native library aborts. `cpuMs`: CPU time
 * of the job.
 */
export type ModelReport =
  | { type: 'ready' }
  | { type: 'output'; output: ModelOutput }
  | { type: 'done'; cpuMs: number }
  | { type: 'failed'; message: string };
