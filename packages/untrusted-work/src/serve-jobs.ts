import { AppError, toError } from '@calls/foundation/errors';

/** A request of a service to a worker process. */
export interface JobRequest {
  kind: string;
  input: unknown;
}

/**
 * A part of a large input, sent before the request in separate turns, so that no turn of the event loop copies all of
 * it.
 */
interface InputChunk {
  chunk: Uint8Array;
}

/** Messages of a worker process: `ready`, then for each job any number of `piece` and finally `done` or `failed`. */
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'piece'; piece: unknown }
  | { type: 'done'; output: unknown }
  | { type: 'failed'; code: string | null; message: string };

/**
 * Functions for untrusted input, by name. `emit` sends a part of a large result in advance; `chunks` are the parts of a
 * large input.
 */
export type Jobs = Readonly<Record<string, Job<never, unknown>>>;
export type Job<Input, Output> = (
  input: Input,
  emit: (piece: unknown) => void,
  chunks: readonly Uint8Array[],
) => Output | Promise<Output>;

const MAX_MESSAGE_LENGTH = 300;

/**
 * Main function of a worker process: runs the jobs of a WorkPool until the pool's process disconnects. Ignores signals
 * to the process group, because the service needs its workers while it drains.
 */
export function serveJobs(jobs: Jobs): void {
  const chunks: Uint8Array[] = [];
  const send = (message: WorkerMessage): void => void process.send?.(message);
  const run = ({ kind, input }: JobRequest): Promise<unknown> =>
    new Promise((resolve) => {
      const job = jobs[kind] as Job<unknown, unknown> | undefined;
      if (!job) throw new Error(`unknown job ${kind}`);
      resolve(job(input, (piece) => send({ type: 'piece', piece }), chunks.splice(0)));
    });
  process.on('message', (request: JobRequest | InputChunk) => {
    if ('chunk' in request) {
      chunks.push(request.chunk);
      return;
    }
    run(request).then(
      (output) => send({ type: 'done', output }),
      (thrown: unknown) => {
        const code = thrown instanceof AppError ? thrown.code : null;
        send({ type: 'failed', code, message: toError(thrown).message.slice(0, MAX_MESSAGE_LENGTH) });
      },
    );
  });
  process.on('disconnect', () => process.exit(0));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  send({ type: 'ready' });
}
