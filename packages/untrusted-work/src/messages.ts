/** What a service asks a worker process to do. */
export interface JobRequest {
  kind: string;
  input: unknown;
}

/** A part of a large input, sent before the request: one at a time, so that no turn of the sender copies all of it. */
export interface InputChunk {
  chunk: Uint8Array;
}

/** What a worker process says: first `ready`; for each job any number of `piece` and then `done` or `failed`. */
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'piece'; piece: unknown }
  | { type: 'done'; output: unknown }
  | { type: 'failed'; code: string | null; message: string };
