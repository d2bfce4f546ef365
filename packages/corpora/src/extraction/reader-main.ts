/** The process that reads documents. */
import { AppError, toError } from '@calls/foundation/errors';
import { serveJobs } from '@calls/untrusted-work/serve-jobs';
import { readDocument, type ReadRequest } from './read-document.ts';

const MAX_REASON_LENGTH = 250;

export const readerJobs = {
  readDocument: (request: ReadRequest) =>
    readDocument(request).catch((thrown: unknown) => {
      throw new AppError('unreadable', toError(thrown).message.slice(0, MAX_REASON_LENGTH));
    }),
};

serveJobs(readerJobs);
