import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';
import { EndReason } from './enums.ts';

/** What stays of a call that was deleted. */
export const CallTombstone = Closed(
  {
    callId: Uuid,
    accountId: Uuid,
    created: DateTime,
    deletionTime: DateTime,
    joined: Nullable(DateTime),
    ended: Nullable(DateTime),
    maxDuration: Duration,
    endReason: Nullable(EndReason),
    recordingEnabled: Type.Boolean(),
    hadSummary: Type.Boolean(),
  },
  'CallTombstone',
);
export type CallTombstone = Static<typeof CallTombstone>;
