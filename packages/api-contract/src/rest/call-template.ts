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
import { DateTime, JsonObject } from './common.ts';
import { AdmissionPreferenceRequest, MessageMediumEnum, RetentionPolicyRequest } from './enums.ts';
import { ExternalVoice, VoiceOverrides } from './external-voice.ts';
import { CallMedium } from './medium.ts';
import { defineResource, ReadOnly } from './resource.ts';
import { SelectedTool } from './tool.ts';

/**
 * The call properties that an agent's calls share. Variables (`{{name}}`, dotted paths) may stand in systemPrompt,
 * languageHint, timeExceededMessage, messages of inactivityMessages, and of the selected tools in descriptions, values of
 * static parameters and authentication tokens; they are filled from a call's `templateContext`.
 */
export const CallTemplate = defineResource('CallTemplate', {
  name: Type.Optional(Type.String({ maxLength: 64 })),
  created: ReadOnly(DateTime),
  updated: ReadOnly(DateTime),
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
  voiceOverrides: Type.Optional(VoiceOverrides),
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
});
/** As it is answered. */
export type CallTemplateAnswer = Static<typeof CallTemplate.Response>;
/** As it is given and stored: without its times, with its secrets. */
export type CallTemplate = Static<typeof CallTemplate.Request>;
