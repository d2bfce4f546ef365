/** The process that reads documents: says that it is ready, then one report for each request by IPC. */
import { toError } from '@calls/foundation';
import type { ReaderMessage, ReadRequest } from './messages.ts';
import { readDocument } from './read-document.ts';

const send = (message: ReaderMessage): void => void process.send?.(message);

process.on('message', (request: ReadRequest) => {
  readDocument(request).then(
    (document) => send({ type: 'read', document }),
    (thrown: unknown) => send({ type: 'unreadable', reason: toError(thrown).message.slice(0, 300) }),
  );
});
process.on('disconnect', () => process.exit(0));
send({ type: 'ready' });
