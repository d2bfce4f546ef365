import { boundedToolFromOpenApi } from '../tools/openapi/tool-from-openapi.ts';
import { readLargeBody } from './read-large-body.ts';

/** Jobs that take a large document or body. They run in a process of their own, which short jobs don't wait for. */
export const bulkJobs = {
  toolFromOpenApi: ({ bytes }: { bytes: Uint8Array }) => boundedToolFromOpenApi(Buffer.from(bytes)),
  readLargeBody,
};
