import { Worker } from 'node:worker_threads';
import { abortable, type Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { MonitoredThread } from '@calls/foundation/monitored-thread';
import type { VectorQuery } from './vector-cache.ts';
import type { VectorSearch } from './vector-search.ts';
import type { VectorHit } from './vector-set.ts';
import type {
  VectorThreadData,
  VectorThreadRequest,
  VectorThreadResponse,
} from './vector-thread-messages.ts';

/** Queries that may wait for the thread. */
const MAX_QUERIES = 256;

/** The thread could not search. */
class VectorSearchError extends AppError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('vector_search_failed', message, { retryable: true, ...options });
  }
}

interface Waiting {
  resolve: (hits: VectorHit[]) => void;
  reject: (reason: Error) => void;
}

/** Exact search in a worker thread, which reads the vectors from the database and retains those of recent corpora. */
export class VectorThread implements VectorSearch, AsyncDisposable {
  readonly #waiting = new Map<number, Waiting>();
  #thread!: MonitoredThread;
  #nextNumber = 0;

  /** Rejects if the thread does not start. */
  static async start(
    workerData: VectorThreadData,
    { log, clock }: { log: Logger; clock: Clock },
  ): Promise<VectorThread> {
    const search = new VectorThread();
    search.#thread = await MonitoredThread.start({
      name: 'vectors',
      start: () =>
        new Worker(new URL('./vector-thread-entry.ts', import.meta.url), { name: 'vectors', workerData }),
      onMessage: (message) => search.#onResponse(message as VectorThreadResponse),
      onLost: (err) => search.#lose(err),
      log,
      clock,
    });
    return search;
  }

  /** Rejects with a VectorSearchError. */
  nearest(query: VectorQuery, signal: AbortSignal): Promise<VectorHit[]> {
    if (!this.#thread.isReady) return Promise.reject(new VectorSearchError('the thread is not running'));
    if (this.#waiting.size >= MAX_QUERIES)
      return Promise.reject(new VectorSearchError('too many queries at a time'));
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    const hits = new Promise<VectorHit[]>((resolve, reject) =>
      this.#waiting.set(number, { resolve, reject }),
    );
    const request: VectorThreadRequest = { number, query };
    this.#thread.post(request);
    return abortable(hits, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
    this.#lose(new Error('the process is stopping'));
  }

  #onResponse(response: VectorThreadResponse): void {
    const waiting = this.#waiting.get(response.number);
    this.#waiting.delete(response.number);
    if ('error' in response) waiting?.reject(new VectorSearchError(response.error));
    else waiting?.resolve(response.hits);
  }

  #lose(cause: Error): void {
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of lost) reject(new VectorSearchError(cause.message, { cause }));
  }
}
