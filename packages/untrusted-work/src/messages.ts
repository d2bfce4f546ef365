/** What a service asks a worker process to do. */
export interface JobRequest {
  kind: string;
  input: unknown;
}

/** What a worker process says: first `ready`; for each job any number of `piece` and then `done` or `failed`. */
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'piece'; piece: unknown }
  | { type: 'done'; output: unknown }
  | { type: 'failed'; code: string | null; message: string };
