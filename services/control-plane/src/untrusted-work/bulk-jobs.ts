import { boundedToolFromOpenApi } from '../openapi/tool-from-openapi.ts';
import { readLargeBody } from './read-large-body.ts';

/** Jobs that take a large document or body. They run in a process of their own, which short jobs don't wait for. */
export const bulkJobs = {
  toolFromOpenApi: (_input: null, _emit: unknown, chunks: readonly Uint8Array[]) =>
    boundedToolFromOpenApi(Buffer.concat(chunks)),
  readLargeBody,
};
