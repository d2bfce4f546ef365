import { Type, type Static } from 'typebox';
import { DataMessageFlags } from './data-messages/data-message-flags.ts';
import { Closed, Nullable, Uuid } from './rest/common.ts';
import { Message } from './rest/message.ts';

const Ms = Type.Number({ minimum: 0 });

/** Which voice speaks: a text-to-speech engine of the registry and that engine's own settings. */
export const VoiceSelection = Closed({
  /** Key in the registry of text-to-speech adapters: `espeak-ng`, `openai-compatible`, … */
  engine: Type.String(),
  /** Settings in the engine's own terms, validated by its adapter. */
  settings: Type.Record(Type.String(), Type.Unknown()),
});
export type VoiceSelection = Static<typeof VoiceSelection>;

const GreetingSpec = {
  text: Nullable(Type.String()),
  prompt: Nullable(Type.String()),
};

/** Who speaks first. */
export const FirstSpeakerSpec = Type.Union([
  Closed({ who: Type.Literal('agent'), ...GreetingSpec, delayMs: Ms, uninterruptible: Type.Boolean() }),
  Closed({
    who: Type.Literal('user'),
    /** What the agent says when the user stays silent that long; null: it waits for ever. */
    fallback: Nullable(Closed({ ...GreetingSpec, delayMs: Ms })),
  }),
]);
export type FirstSpeakerSpec = Static<typeof FirstSpeakerSpec>;

/** Said when nobody has said anything for `delayMs`: since the message before it, the first one since the conversation stopped. */
export const InactivityMessageSpec = Closed({
  delayMs: Ms,
  text: Type.String(),
  /** Whether the call ends once it was heard. */
  hangUp: Type.Enum(['never', 'unless_answered', 'always']),
});
export type InactivityMessageSpec = Static<typeof InactivityMessageSpec>;

export const VadSpec = Closed({
  turnEndpointDelayMs: Ms,
  minimumTurnDurationMs: Ms,
  minimumInterruptionDurationMs: Ms,
  /** A window counts as speech from this probability on. */
  frameActivationThreshold: Type.Number({ minimum: 0.1, maximum: 1 }),
});
export type VadSpec = Static<typeof VadSpec>;

export const ServerWebSocketSpec = Closed({
  kind: Type.Literal('serverWebSocket'),
  inputSampleRateHz: Type.Integer(),
  outputSampleRateHz: Type.Integer(),
  clientBufferMs: Ms,
  mediaIdleTimeoutMs: Nullable(Ms),
  dataMessages: DataMessageFlags,
});
export type ServerWebSocketSpec = Static<typeof ServerWebSocketSpec>;

export const MediumSpec = Type.Union([ServerWebSocketSpec]);
export type MediumSpec = Static<typeof MediumSpec>;

/**
 * Everything a media worker needs to run a call: the request with every default applied, names resolved and durations
 * in milliseconds. Made by the control-plane when the call is created; never changes.
 */
export const CallSpec = Closed({
  callId: Uuid,
  accountId: Uuid,
  firstStageId: Uuid,
  createdAtMs: Ms,
  systemPrompt: Type.String(),
  /** Name from the catalogue of models; the worker's configuration maps it to an endpoint. */
  model: Type.String(),
  temperature: Type.Number(),
  voice: VoiceSelection,
  languageHint: Nullable(Type.String()),
  initialMessages: Type.Array(Message),
  joinTimeoutMs: Ms,
  maxDurationMs: Ms,
  /** Said when maxDuration is reached. */
  timeExceededMessage: Nullable(Type.String()),
  inactivityMessages: Type.Array(InactivityMessageSpec),
  firstSpeaker: FirstSpeakerSpec,
  /** Adds a prompt that asks for a greeting where no initial message calls for an answer. */
  greetingPromptEnabled: Type.Boolean(),
  vad: VadSpec,
  medium: MediumSpec,
  initialOutputMedium: Type.Enum(['voice', 'text']),
  recordingEnabled: Type.Boolean(),
});
export type CallSpec = Static<typeof CallSpec>;
