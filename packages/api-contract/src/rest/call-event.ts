import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';
import { Severity } from './enums.ts';

/** One entry of `GET /api/calls/{call_id}/events`. */
export const CallEvent = Closed(
  {
    callId: Uuid,
    callStageId: Uuid,
    callTimestamp: Duration,
    severity: Severity,
    type: Type.String({ maxLength: 50 }),
    text: Type.String(),
    extras: Nullable(Type.Record(Type.String(), Type.Unknown())),
    wallClockTimestamp: Nullable(DateTime),
  },
  'CallEvent',
);
export type CallEvent = Static<typeof CallEvent>;
