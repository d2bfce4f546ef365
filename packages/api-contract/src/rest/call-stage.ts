import { Type, type Static } from 'typebox';
import { described } from './annotations.ts';
import { shownCallSettings } from './call-settings.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';

export const CallStage = Closed(
  {
    callId: described(Uuid, 'Id of the call.'),
    callStageId: described(Uuid, 'Id of the stage.'),
    created: described(DateTime, 'When the stage was created.'),
    initialTokenCount: Nullable(Type.Integer(), 'Input tokens of the first model request of the stage.'),
    latestTokenCount: Nullable(Type.Integer(), 'Input tokens of the last model request of the stage.'),
    errorCount: Type.Integer({
      minimum: 0,
      description: 'Call events of the severity `error` in the stage.',
    }),
    ...shownCallSettings.stage,
  },
  'CallStage',
  'A part of a call with settings of its own. Every call has at least one.',
);
export type CallStage = Static<typeof CallStage>;
