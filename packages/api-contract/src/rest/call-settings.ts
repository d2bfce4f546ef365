import { marked, Pattern } from '@calls/foundation/schema/annotations';
import { CONVERSATION_TEXT_MARK, TEMPLATED_MARK } from '@calls/foundation/schema/keywords';
import { JsonObject } from '@calls/foundation/schema/objects';
import { VoiceName } from '@calls/providers/config/catalogue-voice';
import { Type } from 'typebox';
import { AnalysisSettings } from './call-analysis.ts';
import {
  AnsweringMachineDetection,
  BackgroundAudio,
  Callbacks,
  DataConnectionConfig,
  DurationUpTo,
  FirstSpeakerSettings,
  IvrNavigation,
  MediumRestriction,
  Metadata,
  RESERVED_METADATA_PREFIX,
  SharedSecrets,
  SpokenText,
  TimedMessage,
  VadSettings,
} from './call-setting-values.ts';
import {
  requestProperties,
  responseProperties,
  setting,
  settingDefaults,
  shownSettings,
  type SettingResponse,
  type ShownSettings,
  type StoredSettings,
} from './call-setting.ts';
import {
  AdmissionPreference,
  AdmissionPreferenceRequest,
  MessageMediumEnum,
  RetentionPolicy,
  RetentionPolicyRequest,
} from './enums.ts';
import { ExternalVoice, VoiceOverrides } from './external-voice.ts';
import { CallMedium } from './medium.ts';
import { Message } from './message.ts';
import { SelectedTool } from './tool.ts';

/** A tag of BCP 47 (RFC 5646) with up to 16 characters: `en`, `en-GB`, `zh-Hant-TW`. */
export const LanguageTag = Pattern(
  '^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$',
  'must be a BCP 47 language tag of at most 16 characters, such as "en-GB"',
  { maxLength: 16 },
);

/** A name or word that the user may say. May be blank, as texts with variables are if these have no value. */
const KeyTerm = marked(Type.String({ maxLength: 100 }), TEMPLATED_MARK, CONVERSATION_TEXT_MARK);

const EVERYWHERE = ['call', 'agentCall', 'template', 'stage'] as const;
const CALLS = ['call', 'agentCall'] as const;
const CALLS_AND_TEMPLATES = ['call', 'agentCall', 'template'] as const;
const OF_STAGES = ['call', 'template', 'stage'] as const;

/**
 * All settings of a call. The requests and responses that contain a setting, its stored form, its default and its
 * secrets are derived from here.
 */
export const CALL_SETTINGS = {
  systemPrompt: setting(marked(Type.String({ maxLength: 524_288 }), TEMPLATED_MARK, CONVERSATION_TEXT_MARK), {
    description: 'Instructions for the model.',
    requests: OF_STAGES,
    responses: ['call', 'stage'],
    shownIfUnset: null,
  }),
  initialMessages: setting(Type.Array(Message, { maxItems: 1000 }), {
    description: 'Conversation history to start from.',
    requests: ['call', 'agentCall', 'stage'],
  }),
  metadata: setting(Metadata, {
    description: `Labels of the call, for searches and reports. Keys must not start with \`${RESERVED_METADATA_PREFIX}\`.`,
    requests: CALLS,
    responses: ['call'],
    default: {},
  }),
  medium: setting(CallMedium, {
    description: 'How the client connects to the call.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
    default: { webRtc: {} },
  }),
  joinTimeout: setting(DurationUpTo('3600s', 'How long the call waits for a client to join.'), {
    description: 'How long the call waits for a client to join, longer than 0s and at most 3600s.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
    default: '30s',
  }),
  maxDuration: setting(DurationUpTo('86400s', 'How long the call can last.'), {
    description: 'How long the call can last, at most 86400s.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
    default: '3600s',
  }),
  recordingEnabled: setting(Type.Boolean(), {
    description: 'Whether the call is recorded. Calls with the retention policy `zdr` are not.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
    default: false,
  }),
  initialOutputMedium: setting(MessageMediumEnum, {
    description: 'Whether the agent starts with voice or text. The client can change it during the call.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
    resolved: Type.Enum(['MESSAGE_MEDIUM_VOICE', 'MESSAGE_MEDIUM_TEXT']),
    default: 'MESSAGE_MEDIUM_VOICE',
  }),
  firstSpeakerSettings: setting(FirstSpeakerSettings, {
    description: 'Who speaks first, and how.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
    default: { agent: {} },
  }),
  dataConnection: setting(DataConnectionConfig, {
    description: 'WebSocket to which the call sends data messages and audio.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
  }),
  experimentalSettings: setting(JsonObject, {
    description: 'Experimental settings. They can change without notice.',
    requests: CALLS,
    responses: ['call', 'stage'],
    shownIfUnset: null,
  }),
  callbacks: setting(Callbacks, {
    description: 'URLs that receive the events of the call.',
    requests: CALLS,
    responses: ['call'],
  }),
  voice: setting(VoiceName, {
    description: 'Id of a voice of the catalogue, or its name if that is unique. Excludes `externalVoice`.',
    requests: EVERYWHERE,
    responses: ['call', 'stage'],
    shownIfUnset: null,
  }),
  voiceOverrides: setting(VoiceOverrides, {
    description:
      'Overrides settings of `voice`, under the key of its provider; not those that affect the price.',
    requests: EVERYWHERE,
    responses: ['call', 'stage'],
  }),
  retentionPolicy: setting(RetentionPolicyRequest, {
    description: 'Whether the content of the call is stored: permanently, until it is billed, or never.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
    resolved: RetentionPolicy,
    default: 'retain',
  }),
  sharedSecrets: setting(SharedSecrets, {
    description: 'Secrets that sign the requests of the service for this call. Write-only.',
    requests: CALLS_AND_TEMPLATES,
  }),
  temperature: setting(Type.Number({ minimum: 0, maximum: 1 }), {
    description: 'Sampling temperature of the model.',
    requests: OF_STAGES,
    responses: ['call', 'stage'],
    default: 0,
  }),
  model: setting(Type.String({ minLength: 1, maxLength: 128 }), {
    description: 'Name of the language model.',
    requests: OF_STAGES,
    responses: ['call', 'stage'],
    default: 'svc-v0.7',
  }),
  externalVoice: setting(ExternalVoice, {
    description:
      'A voice that is not in the catalogue. The account needs a key of its provider. Excludes `voice`.',
    requests: OF_STAGES,
    responses: ['call', 'stage'],
  }),
  languageHint: setting(LanguageTag, {
    description: 'Language of the call as a BCP 47 tag; guides speech recognition and synthesis.',
    requests: OF_STAGES,
    responses: ['call', 'stage'],
    // Variables may be longer than the language tags that replace them.
    inTemplate: marked(Type.String({ maxLength: 256 }), TEMPLATED_MARK),
    resolved: Type.String(),
    shownIfUnset: null,
  }),
  keyTerms: setting(Type.Array(KeyTerm, { maxItems: 100 }), {
    description:
      'Names and words that the user may say, the most important first; speech recognition that supports it expects them.',
    requests: OF_STAGES,
    responses: ['call', 'stage'],
    shownIfUnset: [],
  }),
  timeExceededMessage: setting(marked(SpokenText, TEMPLATED_MARK, CONVERSATION_TEXT_MARK), {
    description: 'What the agent says before the call ends because `maxDuration` is reached.',
    requests: OF_STAGES,
    responses: ['call', 'stage'],
    shownIfUnset: null,
  }),
  inactivityMessages: setting(Type.Array(TimedMessage, { maxItems: 20 }), {
    description: 'What the agent says while the user is silent, in this order.',
    requests: OF_STAGES,
    responses: ['call', 'stage'],
    shownIfUnset: [],
  }),
  selectedTools: setting(Type.Array(SelectedTool, { maxItems: 100 }), {
    description: 'Tools that the agent can use.',
    requests: OF_STAGES,
  }),
  firstSpeaker: setting(
    Type.Enum(['FIRST_SPEAKER_UNSPECIFIED', 'FIRST_SPEAKER_AGENT', 'FIRST_SPEAKER_USER'], {
      deprecated: true,
    }),
    {
      description: 'Who speaks first. Use `firstSpeakerSettings` instead; if both are set, they must agree.',
      requests: ['call'],
      stored: false,
    },
  ),
  transcriptOptional: setting(Type.Boolean({ deprecated: true }), {
    description: 'Has no effect.',
    requests: ['call'],
    responses: ['call'],
    shownIfUnset: true,
  }),
  vadSettings: setting(VadSettings, {
    description: 'How the speech of the user is detected.',
    requests: OF_STAGES,
    responses: ['call'],
  }),
  initialState: setting(marked(JsonObject, CONVERSATION_TEXT_MARK), {
    description: 'State of the call stage to start with. Tools can read and write it.',
    requests: ['call', 'stage'],
    responses: ['call', 'stage'],
    shownIfUnset: {},
  }),
  backgroundAudio: setting(BackgroundAudio, {
    description: "Background audio behind the agent's voice.",
    requests: ['call', 'template'],
    responses: ['call'],
  }),
  admissionPreference: setting(AdmissionPreferenceRequest, {
    description:
      'Order in which calls are served under load. The account needs the feature `admissionPreference`.',
    requests: ['call', 'template'],
    responses: ['call'],
    resolved: AdmissionPreference,
    shownIfUnset: null,
  }),
  answeringMachineDetection: setting(AnsweringMachineDetection, {
    description: 'Detects what answered an outgoing call. Not allowed in requests for other calls.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
  }),
  ivrNavigation: setting(IvrNavigation, {
    description: 'How the agent navigates phone menus. If absent, the defaults apply.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
  }),
  analysisSettings: setting(AnalysisSettings, {
    description: 'What the model extracts from the conversation after the call.',
    requests: CALLS_AND_TEMPLATES,
    responses: ['call'],
  }),
  mediumRestriction: setting(MediumRestriction, {
    description: 'Mediums that the call may use. If absent, all are allowed.',
    requests: ['call', 'template'],
    responses: ['call'],
    shownIfUnset: null,
  }),
};

export const CALL_SETTING_DEFAULTS = settingDefaults(CALL_SETTINGS);

/** Optional properties of the requests that carry settings. */
export const callSettingsOf = {
  call: requestProperties(CALL_SETTINGS, 'call'),
  agentCall: requestProperties(CALL_SETTINGS, 'agentCall'),
  template: requestProperties(CALL_SETTINGS, 'template'),
  stage: requestProperties(CALL_SETTINGS, 'stage'),
};

/** Properties of the responses that show settings. */
export const shownCallSettings = {
  call: responseProperties(CALL_SETTINGS, 'call'),
  stage: responseProperties(CALL_SETTINGS, 'stage'),
};

/**
 * Settings of a call as they are stored: in the terms of the API, with the defaults of top-level settings filled in, enumerations
 * in the form of responses, and secrets sealed. Never changes.
 */
export type CallSettings = StoredSettings<typeof CALL_SETTINGS>;

/** The settings of a call that a stage can change. The messages and tools of a stage have separate rows. */
export type StageOverrides = Partial<
  Pick<CallSettings, Exclude<keyof typeof callSettingsOf.stage, 'initialMessages' | 'selectedTools'>>
>;

/** The properties of a response that shows these settings. */
export function showCallSettings<R extends SettingResponse>(
  response: R,
  settings: Partial<CallSettings>,
): ShownSettings<typeof CALL_SETTINGS, R> {
  return shownSettings(CALL_SETTINGS, response, settings);
}
