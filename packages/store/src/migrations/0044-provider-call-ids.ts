import { statements } from './statements.ts';

/** Ids to hang up phone calls that still ring when their call is ended. */
export const providerCallIds = statements(`alter table calls add column provider_call_id text`);
