import { boundedToolFromOpenApi } from '../openapi/tool-from-openapi.ts';
import { readLargeBody } from './read-large-body.ts';

/** Jobs with a large document or body. They have their own process, so that short jobs do not wait for them. */
export const bulkJobs = {
  toolFromOpenApi: (_input: null, _emit: unknown, chunks: readonly Uint8Array[]) =>
    boundedToolFromOpenApi(Buffer.concat(chunks)),
  readLargeBody,
};
