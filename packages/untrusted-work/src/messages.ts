/** A request of a service to a worker process. */
export interface JobRequest {
  kind: string;
  input: unknown;
}

/**
 * A part of a large input, sent before the request in separate turns, so that no turn of the event loop copies all of
 * it.
 */
export interface InputChunk {
  chunk: Uint8Array;
}

/** Messages of a worker process: `ready`, then for each job any number of `piece` and finally `done` or `failed`. */
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'piece'; piece: unknown }
  | { type: 'done'; output: unknown }
  | { type: 'failed'; code: string | null; message: string };
