import { fileURLToPath } from 'node:url';
import { AppError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { WorkRefusedError, WorkTooExpensiveError } from '@calls/untrusted-work/work-error';
import { WorkPool } from '@calls/untrusted-work/work-pool';
import type { ReadDocument, ReadRequest } from './read-document.ts';
import type { readerJobs } from './reader-main.ts';

/** A document that no text can be read from, today or tomorrow; the message may be shown to its owner. */
export class UnreadableDocumentError extends AppError {
  constructor(reason: string) {
    super('unreadable_document', reason);
  }
}

export interface DocumentReader extends AsyncDisposable {
  /** One at a time. Throws an UnreadableDocumentError, another error where reading failed by itself, or the signal's reason. */
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadDocument>;
}

const ENTRY = fileURLToPath(new URL('./reader-main.ts', import.meta.url));
const DEFAULT_LIMIT_MS = 15_000;
/** Of time by the clock for processor time: others use the machine, too. */
const WALL_FACTOR = 2;
/** Then a new process takes over: what a reader leaks doesn't add up. */
const READS_PER_PROCESS = 50;
const QUEUE_MS = 120_000;
const OWNER = 'documents';

/** Reads documents in a process of its own, which is started with the first one and killed when one takes too much. */
export function createDocumentReader(options: { log: Logger; limitMs?: number }): DocumentReader {
  const { log, limitMs = DEFAULT_LIMIT_MS } = options;
  const pool = new WorkPool<typeof readerJobs>({
    entry: ENTRY,
    size: 1,
    limits: { cpuMs: limitMs, wallMs: limitMs * WALL_FACTOR, queueMs: QUEUE_MS },
    jobsPerProcess: READS_PER_PROCESS,
    log,
  });
  return {
    async read(request, signal) {
      try {
        const document = await pool.run('readDocument', request, { owner: OWNER, signal });
        if (hasContent(document)) return document;
        throw new UnreadableDocumentError("the document can't be read: it has no text");
      } catch (thrown) {
        if (thrown instanceof WorkTooExpensiveError) {
          const what = thrown.limit === 'memory' ? 'much memory' : 'long';
          throw new UnreadableDocumentError(`the document takes too ${what} to read`);
        }
        if (!(thrown instanceof WorkRefusedError)) throw thrown;
        throw new UnreadableDocumentError(`the document can't be read: ${thrown.message}`);
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

function hasContent({ chunks, links }: ReadDocument): boolean {
  return chunks.length > 0 || links.length > 0;
}
