import { fileURLToPath } from 'node:url';
import { AppError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { WorkRefusedError, WorkTooExpensiveError } from '@calls/untrusted-work/work-error';
import { WorkPool } from '@calls/untrusted-work/work-pool';
import type { ReadDocument, ReadRequest } from './read-document.ts';
import type { readerJobs } from './reader-main.ts';

/** No text can be extracted from the document, now or later. The message may be shown to its owner. */
export class UnreadableDocumentError extends AppError {
  constructor(reason: string) {
    super('unreadable_document', reason);
  }
}

export interface DocumentReader extends AsyncDisposable {
  /**
   * Reads one document at a time. Throws an UnreadableDocumentError, another error if the reader itself failed, or the
   * signal's reason.
   */
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadDocument>;
}

const ENTRY = fileURLToPath(new URL('./reader-main.ts', import.meta.url));
const DEFAULT_LIMIT_MS = 15_000;
/** Limit of wall time as a factor of the CPU time limit, because the machine is shared. */
const WALL_FACTOR = 2;
/** After this many documents, the process is replaced, so that leaks do not accumulate. */
const READS_PER_PROCESS = 50;
const QUEUE_MS = 120_000;
const OWNER = 'documents';

/**
 * Reads documents in a separate process, which starts with the first document and is killed if one takes too long or
 * too much memory.
 */
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
        throw new UnreadableDocumentError('the document cannot be read: it has no text');
      } catch (thrown) {
        if (thrown instanceof WorkTooExpensiveError) {
          const what = thrown.limit === 'memory' ? 'much memory' : 'long';
          throw new UnreadableDocumentError(`the document takes too ${what} to read`);
        }
        if (!(thrown instanceof WorkRefusedError)) throw thrown;
        throw new UnreadableDocumentError(`the document cannot be read: ${thrown.message}`);
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

function hasContent({ chunks, links }: ReadDocument): boolean {
  return chunks.length > 0 || links.length > 0;
}
