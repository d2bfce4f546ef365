import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { Pattern } from './annotations.ts';
import {
  BackgroundAudio,
  Callbacks,
  DataConnectionConfig,
  FirstSpeakerSettings,
  MediumRestriction,
  Metadata,
  SharedSecrets,
  TimedMessage,
  VadSettings,
  Words,
} from './call-settings.ts';
import { Closed, DateTime, JsonObject, Nullable, Uuid } from './common.ts';
import {
  AdmissionPreference,
  AdmissionPreferenceRequest,
  BillingStatus,
  EndReason,
  FirstSpeaker,
  MessageMediumEnum,
  RetentionPolicy,
  RetentionPolicyRequest,
  SipTermination,
} from './enums.ts';
import { ExternalVoice, VoiceOverrides } from './external-voice.ts';
import { CallMedium } from './medium.ts';
import { Message } from './message.ts';
import { SelectedTool, ToolOverrides } from './tool.ts';

export const DEFAULT_MODEL = 'svc-v0.7';
export const DEFAULT_JOIN_TIMEOUT = '30s';
export const DEFAULT_MAX_DURATION = '3600s';

/** Keys of `metadata` that callers may not use begin with this. */
export const RESERVED_METADATA_PREFIX = 'svc.';

/** BCP 47 (RFC 5646) tags of up to 16 characters: `en`, `en-GB`, `zh-Hant-TW`. */
export const LanguageTag = Pattern(
  '^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$',
  'must be a BCP 47 language tag of at most 16 characters, such as "en-GB"',
  { maxLength: 16 },
);

export const SystemPrompt = Type.String({ maxLength: 524_288 });
export const VoiceName = Type.String({ minLength: 1, maxLength: 128 });
export const ModelName = Type.String({ minLength: 1, maxLength: 128 });
export const Temperature = Type.Number({ minimum: 0, maximum: 1 });

/** What both a call of its own and a call of an agent may set. */
const forAnyCall = {
  initialMessages: Type.Optional(Type.Array(Message, { maxItems: 1000 })),
  metadata: Type.Optional(Metadata),
  medium: Type.Optional(CallMedium),
  joinTimeout: Type.Optional(Duration),
  maxDuration: Type.Optional(Duration),
  recordingEnabled: Type.Optional(Type.Boolean()),
  initialOutputMedium: Type.Optional(MessageMediumEnum),
  firstSpeakerSettings: Type.Optional(FirstSpeakerSettings),
  dataConnection: Type.Optional(DataConnectionConfig),
  experimentalSettings: Type.Optional(JsonObject),
  callbacks: Type.Optional(Callbacks),
  voice: Type.Optional(VoiceName),
  voiceOverrides: Type.Optional(VoiceOverrides),
  retentionPolicy: Type.Optional(RetentionPolicyRequest),
  sharedSecrets: Type.Optional(SharedSecrets),
};

/** Body of `POST /api/calls`. */
export const StartCallRequest = Closed(
  {
    ...forAnyCall,
    systemPrompt: Type.Optional(SystemPrompt),
    temperature: Type.Optional(Temperature),
    model: Type.Optional(ModelName),
    externalVoice: Type.Optional(ExternalVoice),
    languageHint: Type.Optional(LanguageTag),
    timeExceededMessage: Type.Optional(Words),
    inactivityMessages: Type.Optional(Type.Array(TimedMessage, { maxItems: 20 })),
    selectedTools: Type.Optional(Type.Array(SelectedTool, { maxItems: 100 })),
    firstSpeaker: Type.Optional(
      Type.Enum(['FIRST_SPEAKER_UNSPECIFIED', 'FIRST_SPEAKER_AGENT', 'FIRST_SPEAKER_USER'], {
        deprecated: true,
      }),
    ),
    transcriptOptional: Type.Optional(Type.Boolean({ deprecated: true })),
    vadSettings: Type.Optional(VadSettings),
    initialState: Type.Optional(JsonObject),
    backgroundAudio: Type.Optional(BackgroundAudio),
    admissionPreference: Type.Optional(AdmissionPreferenceRequest),
    mediumRestriction: Type.Optional(MediumRestriction),
  },
  'StartCallRequest',
);
export type StartCallRequest = Static<typeof StartCallRequest>;

/** Body of `POST /api/agents/{agent_id}/calls`: what a call may change of its agent's template. */
export const StartAgentCallRequest = Closed(
  {
    ...forAnyCall,
    templateContext: Type.Optional(JsonObject),
    toolOverrides: Type.Optional(ToolOverrides),
    /** The agent's, where it is given at all. */
    agentId: Type.Optional(Uuid),
  },
  'StartAgentCallRequest',
);
export type StartAgentCallRequest = Static<typeof StartAgentCallRequest>;

const Throttle = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Name or id of a call throttle that this call counts in.',
});

/** Query of `POST /api/calls`. */
export const StartCallQuery = Closed({
  enableGreetingPrompt: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Adds a prompt for a greeting where no initial message calls for an answer.',
    }),
  ),
  priorCallId: Type.Optional(Uuid),
  throttle: Type.Optional(Throttle),
});
export type StartCallQuery = Static<typeof StartCallQuery>;

/** Query of `POST /api/agents/{agent_id}/calls`. */
export const StartAgentCallQuery = Closed({ throttle: Type.Optional(Throttle) });
export type StartAgentCallQuery = Static<typeof StartAgentCallQuery>;

export const AgentBasic = Closed({ agentId: Uuid, name: Type.String() }, 'AgentBasic');

/** A call in every response. Objects that it does not have are left out. */
export const Call = Closed(
  {
    callId: Uuid,
    clientVersion: Nullable(Type.String()),
    created: DateTime,
    joined: Nullable(DateTime),
    ended: Nullable(DateTime),
    endReason: Nullable(EndReason),
    billedDuration: Nullable(Duration),
    billedSideInputTokens: Nullable(Type.Integer()),
    billedSideOutputTokens: Nullable(Type.Integer()),
    billingStatus: BillingStatus,
    firstSpeaker: FirstSpeaker,
    firstSpeakerSettings: FirstSpeakerSettings,
    inactivityMessages: Type.Array(TimedMessage),
    initialOutputMedium: Type.Enum(['MESSAGE_MEDIUM_VOICE', 'MESSAGE_MEDIUM_TEXT']),
    mediumRestriction: Nullable(MediumRestriction),
    joinTimeout: Duration,
    joinUrl: Nullable(Type.String()),
    languageHint: Nullable(Type.String()),
    maxDuration: Duration,
    medium: CallMedium,
    model: Type.String(),
    recordingEnabled: Type.Boolean(),
    retentionPolicy: RetentionPolicy,
    admissionPreference: Nullable(AdmissionPreference),
    systemPrompt: Nullable(Type.String()),
    temperature: Type.Number(),
    timeExceededMessage: Nullable(Type.String()),
    voice: Nullable(Type.String()),
    externalVoice: Type.Optional(ExternalVoice),
    voiceOverrides: Type.Optional(VoiceOverrides),
    transcriptOptional: Type.Boolean({ deprecated: true }),
    vadSettings: Type.Optional(VadSettings),
    shortSummary: Nullable(Type.String()),
    summary: Nullable(Type.String()),
    agent: Type.Optional(AgentBasic),
    agentId: Nullable(Uuid),
    agentRevisionId: Nullable(Uuid),
    experimentalSettings: Nullable(JsonObject),
    metadata: Type.Record(Type.String(), Type.String()),
    initialState: JsonObject,
    requestContext: Nullable(Type.Unknown()),
    dataConnectionConfig: Type.Optional(DataConnectionConfig),
    callbacks: Type.Optional(Callbacks),
    backgroundAudio: Type.Optional(BackgroundAudio),
    sipDetails: Type.Optional(
      Closed(
        { billedDuration: Nullable(Duration), terminationReason: Nullable(SipTermination) },
        'CallSipDetails',
      ),
    ),
  },
  'Call',
);
export type Call = Static<typeof Call>;
