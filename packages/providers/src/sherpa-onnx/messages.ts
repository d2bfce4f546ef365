/** Start parameters of a model process: a configuration in sherpa-onnx's own format. */
export interface ModelSpec {
  role: 'stt' | 'tts';
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

export type ModelAnswer =
  | { type: 'text'; text: string }
  | { type: 'audio'; samples: Int16Array; sampleRateHz: number };

/** Model process → owner. If the model cannot be loaded, the process exits: the native library aborts. */
export type ModelReport =
  | { type: 'ready' }
  | { type: 'answer'; answer: ModelAnswer }
  | { type: 'done' }
  | { type: 'failed'; message: string };
