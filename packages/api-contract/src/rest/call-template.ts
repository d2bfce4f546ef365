import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import {
  BackgroundAudio,
  DataConnectionConfig,
  FirstSpeakerSettings,
  MediumRestriction,
  SharedSecrets,
  TimedMessage,
  VadSettings,
  Words,
} from './call-settings.ts';
import { ModelName, SystemPrompt, Temperature, VoiceName } from './call.ts';
import { Closed, JsonObject } from './common.ts';
import { AdmissionPreferenceRequest, MessageMediumEnum, RetentionPolicyRequest } from './enums.ts';
import { ExternalVoice } from './external-voice.ts';
import { CallMedium } from './medium.ts';
import { SelectedTool } from './tool.ts';

/**
 * The call properties that an agent's calls share. Variables (`{{name}}`, dotted paths) may stand in systemPrompt,
 * languageHint, timeExceededMessage, messages of inactivityMessages, and of the selected tools in descriptions, values of
 * static parameters and authentication tokens; they are filled from a call's `templateContext`.
 */
export const CallTemplate = Closed(
  {
    name: Type.Optional(Type.String({ maxLength: 64 })),
    created: Type.Optional(Type.Unknown({ readOnly: true })),
    updated: Type.Optional(Type.Unknown({ readOnly: true })),
    medium: Type.Optional(CallMedium),
    initialOutputMedium: Type.Optional(MessageMediumEnum),
    joinTimeout: Type.Optional(Duration),
    maxDuration: Type.Optional(Duration),
    vadSettings: Type.Optional(VadSettings),
    recordingEnabled: Type.Optional(Type.Boolean()),
    firstSpeakerSettings: Type.Optional(FirstSpeakerSettings),
    systemPrompt: Type.Optional(SystemPrompt),
    temperature: Type.Optional(Temperature),
    model: Type.Optional(ModelName),
    voice: Type.Optional(VoiceName),
    externalVoice: Type.Optional(ExternalVoice),
    voiceOverrides: Type.Optional(ExternalVoice),
    /** A BCP 47 tag once its variables are filled in. */
    languageHint: Type.Optional(Type.String({ maxLength: 256 })),
    timeExceededMessage: Type.Optional(Words),
    inactivityMessages: Type.Optional(Type.Array(TimedMessage, { maxItems: 20 })),
    selectedTools: Type.Optional(Type.Array(SelectedTool, { maxItems: 100 })),
    dataConnection: Type.Optional(DataConnectionConfig),
    contextSchema: Type.Optional(JsonObject),
    sharedSecrets: Type.Optional(SharedSecrets),
    retentionPolicy: Type.Optional(RetentionPolicyRequest),
    backgroundAudio: Type.Optional(BackgroundAudio),
    admissionPreference: Type.Optional(AdmissionPreferenceRequest),
    mediumRestriction: Type.Optional(MediumRestriction),
  },
  'CallTemplate',
);
export type CallTemplate = Static<typeof CallTemplate>;
