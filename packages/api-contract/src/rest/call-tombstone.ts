import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { described } from './annotations.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';
import { EndReason } from './enums.ts';

export const CallTombstone = Closed(
  {
    callId: described(Uuid, 'Id of the call.'),
    accountId: described(Uuid, 'Id of the account.'),
    created: described(DateTime, 'When the call was created.'),
    deletionTime: described(DateTime, 'When the call was deleted.'),
    joined: Nullable(DateTime, 'When the client joined; null when it never did.'),
    ended: Nullable(DateTime, 'When the call ended.'),
    maxDuration: described(Duration, 'Time limit that the call had.'),
    endReason: Nullable(EndReason, 'Why the call ended.'),
    recordingEnabled: Type.Boolean({ description: 'Whether the call was recorded.' }),
    hadSummary: Type.Boolean({ description: 'Whether the call had a summary.' }),
  },
  'CallTombstone',
  'The record that remains of a deleted call. It contains nothing that was said.',
);
export type CallTombstone = Static<typeof CallTombstone>;
