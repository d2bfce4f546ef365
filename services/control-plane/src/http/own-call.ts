import { findCall, type CallRow, type Database } from '@calls/store';
import type { Response } from 'express';
import { isUuid } from '../calls/is-uuid.ts';
import { holderOf } from './authentication.ts';
import { notFound } from './problem.ts';

/** The call, where it is of the account whose request it is; all else isn't there. */
export async function ownCall(db: Database, response: Response, callId: string): Promise<CallRow> {
  const call = isUuid(callId) ? await findCall(db, holderOf(response).accountId, callId) : undefined;
  if (!call) throw notFound('call');
  return call;
}
