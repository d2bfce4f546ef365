import { Type, type Static } from 'typebox';
import { TimedMessage } from './call-settings.ts';
import { Closed, DateTime, JsonObject, Nullable, Uuid } from './common.ts';
import { ExternalVoice, VoiceOverrides } from './external-voice.ts';

/** A part of a call with settings of its own. Every call has one at least. */
export const CallStage = Closed(
  {
    callId: Uuid,
    callStageId: Uuid,
    created: DateTime,
    inactivityMessages: Type.Array(TimedMessage),
    initialTokenCount: Nullable(Type.Integer()),
    languageHint: Nullable(Type.String()),
    latestTokenCount: Nullable(Type.Integer()),
    model: Type.String(),
    systemPrompt: Nullable(Type.String()),
    temperature: Type.Number(),
    timeExceededMessage: Nullable(Type.String()),
    voice: Nullable(Type.String()),
    externalVoice: Type.Optional(ExternalVoice),
    voiceOverrides: Type.Optional(VoiceOverrides),
    errorCount: Type.Integer({ minimum: 0 }),
    experimentalSettings: Nullable(JsonObject),
    initialState: JsonObject,
  },
  'CallStage',
);
export type CallStage = Static<typeof CallStage>;
