/** The process that reads documents: one request by IPC, one report, again and again. */
import { toError } from '@calls/foundation';
import type { ReadReport, ReadRequest } from './messages.ts';
import { readDocument } from './read-document.ts';

process.on('message', (request: ReadRequest) => {
  void readDocument(request)
    .then(
      (document): ReadReport => ({ ok: true, document }),
      (thrown: unknown): ReadReport => ({ ok: false, reason: toError(thrown).message.slice(0, 300) }),
    )
    .then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit(0));
