import type { Static } from 'typebox';
import { StartCallRequest } from './call.ts';
import { Closed } from './common.ts';

const {
  systemPrompt,
  temperature,
  model,
  voice,
  externalVoice,
  voiceOverrides,
  languageHint,
  initialMessages,
  selectedTools,
  vadSettings,
  inactivityMessages,
  timeExceededMessage,
  initialState,
} = StartCallRequest.properties;

/** What a tool may say of the stage that its `new-stage` answer begins. */
export const NewStage = Closed(
  {
    systemPrompt,
    temperature,
    model,
    voice,
    externalVoice,
    voiceOverrides,
    languageHint,
    initialMessages,
    selectedTools,
    vadSettings,
    inactivityMessages,
    timeExceededMessage,
    initialState,
  },
  'NewStage',
);
export type NewStage = Static<typeof NewStage>;
