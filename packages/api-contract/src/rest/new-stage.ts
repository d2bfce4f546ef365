import type { Static } from 'typebox';
import { StartCallRequest } from './call.ts';
import { Closed } from './common.ts';
import { requestNormalizer } from '../validation/request-normalizer.ts';

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
export const normalizeNewStage = requestNormalizer(NewStage);
export type NewStage = Static<typeof NewStage>;
