import { statements } from './statements.ts';

/** Digests to recognize repeated requests that create a scheduled batch. */
export const batchRequestDigests = statements(`alter table scheduled_batches add column request_digest text`);
