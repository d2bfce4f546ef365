import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { requestNormalizer } from '../validation/request-normalizer.ts';
import { callSettingsOf, shownCallSettings } from './call-settings.ts';
import { EndReason, Severity } from './enums.ts';

/** One entry of `GET /api/calls/{call_id}/events`. */
export const CallEvent = Closed(
  {
    callId: described(Uuid, 'Id of the call.'),
    callStageId: described(Uuid, 'Id of the stage that was active.'),
    callTimestamp: described(Duration, 'Time since the client joined; `0s` before that.'),
    severity: described(Severity, 'How serious the event is.'),
    type: Type.String({ maxLength: 50, description: 'Type of the event, for programs.' }),
    text: Type.String({ description: 'What happened, in one sentence.' }),
    extras: Nullable(
      Type.Record(Type.String(), Type.Unknown()),
      'Details that depend on `type`; null without details.',
    ),
    wallClockTimestamp: Nullable(DateTime, 'When the event happened.'),
  },
  'CallEvent',
  'An event of a call, such as a failed tool or an audio overflow.',
);
export type CallEvent = Static<typeof CallEvent>;

export const CallStage = Closed(
  {
    callId: described(Uuid, 'Id of the call.'),
    callStageId: described(Uuid, 'Id of the stage.'),
    created: described(DateTime, 'When the stage was created.'),
    initialTokenCount: Nullable(Type.Integer(), 'Input tokens of the first model request of the stage.'),
    latestTokenCount: Nullable(
      Type.Integer(),
      'Input and output tokens of the last model request of the stage.',
    ),
    errorCount: Type.Integer({
      minimum: 0,
      description:
        'Call events of the stage with the severity `error`, or with a type that ends in `_error`.',
    }),
    ...shownCallSettings.stage,
  },
  'CallStage',
  'A part of a call with its own settings. Every call has at least one.',
);
export type CallStage = Static<typeof CallStage>;

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

/** What the `new-stage` response of a tool can set for the stage that it begins. */
export const NewStage = Closed(callSettingsOf.stage, 'NewStage');
export const normalizeNewStage = requestNormalizer(NewStage);
export type NewStage = Static<typeof NewStage>;
