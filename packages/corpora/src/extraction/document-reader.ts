import { AppError } from '@calls/foundation';
import type { ReadDocument, ReadRequest } from './messages.ts';
import { ReaderProcess } from './reader-process.ts';

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

const START_LIMIT_MS = 15_000;
const DEFAULT_LIMIT_MS = 15_000;
/** Then a new process takes over: what a reader leaks doesn't add up. */
const READS_PER_PROCESS = 50;

/** Reads documents in a process of its own, which is started with the first one and killed when one takes too much. */
export function createDocumentReader(options: { limitMs?: number } = {}): DocumentReader {
  const limitMs = options.limitMs ?? DEFAULT_LIMIT_MS;
  let running: { process: ReaderProcess; reads: number } | undefined;
  const end = (): void => {
    running?.process.kill();
    running = undefined;
  };
  const ready = async (signal: AbortSignal): Promise<ReaderProcess> => {
    if (running && running.reads >= READS_PER_PROCESS) end();
    if (!running) {
      running = { process: new ReaderProcess(), reads: 0 };
      const message = await running.process.next(null, START_LIMIT_MS, signal);
      if (typeof message === 'string') {
        throw new AppError('reader_failed', `the reader of documents did not start: ${message}`, {
          retryable: true,
        });
      }
    }
    running.reads += 1;
    return running.process;
  };
  return {
    async read(request, signal) {
      try {
        const message = await (await ready(signal)).next(request, limitMs, signal);
        if (message === 'gone')
          throw new UnreadableDocumentError('the document takes too much memory to read');
        if (message === 'late') throw new UnreadableDocumentError('the document takes too long to read');
        if (message.type === 'read' && hasContent(message.document)) return message.document;
        const reason = message.type === 'unreadable' ? `: ${message.reason}` : ': it has no text';
        throw new UnreadableDocumentError(`the document can't be read${reason}`);
      } catch (thrown) {
        end();
        throw thrown;
      }
    },
    [Symbol.asyncDispose]() {
      end();
      return Promise.resolve();
    },
  };
}

function hasContent({ chunks, links }: ReadDocument): boolean {
  return chunks.length > 0 || links.length > 0;
}
