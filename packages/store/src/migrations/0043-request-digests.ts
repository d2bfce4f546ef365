import { statements } from './statements.ts';

/** Digests to recognize repeated requests that create a call. */
export const requestDigests = statements(`alter table calls add column request_digest text`);
