import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { described } from './annotations.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';
import { Severity } from './enums.ts';

/** One entry of `GET /api/calls/{call_id}/events`. */
export const CallEvent = Closed(
  {
    callId: described(Uuid, 'Id of the call.'),
    callStageId: described(Uuid, 'Id of the stage that was active.'),
    callTimestamp: described(Duration, 'Time since the client joined; `0s` before that.'),
    severity: described(Severity, 'How serious the event is.'),
    type: Type.String({ maxLength: 50, description: 'Kind of event, for programs.' }),
    text: Type.String({ description: 'What happened, for people.' }),
    extras: Nullable(
      Type.Record(Type.String(), Type.Unknown()),
      'Details that depend on `type`; null without details.',
    ),
    wallClockTimestamp: Nullable(DateTime, 'When the event happened.'),
  },
  'CallEvent',
  'Something worth knowing that happened in a call, such as a failed tool or an audio overflow.',
);
export type CallEvent = Static<typeof CallEvent>;
