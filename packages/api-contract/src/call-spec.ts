import { Secret } from '@calls/foundation/schema/annotations';
import { Closed, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { TELEPHONY_DIALECTS, TELEPHONY_PROVIDERS } from '@calls/providers/telephony/telephony-vendors';
import { TTS_VENDORS } from '@calls/providers/tts/tts-vendors';
import { Type, type Static } from 'typebox';
import { BUILT_IN_TOOL_NAMES } from './built-in-tool-names.ts';
import { Urgency } from './data-messages/client-messages.ts';
import { DataMessageFlags } from './data-messages/data-message-flags.ts';
import { IvrMode, MachineAction, MenuAction } from './rest/call-setting-values.ts';
import { RetentionPolicy } from './rest/enums.ts';
import { Message } from './rest/message.ts';
import { SipCodec } from './rest/sip-trunk.ts';
import { CallToolDefinition } from './rest/tool.ts';
import { secretPaths } from './secrets.ts';

const Ms = Type.Number({ minimum: 0 });

const SealedSetting = Secret(Type.Optional(Type.Unknown()));
/** The account's key, and every setting that a vendor's descriptor marks as secret. */
const sealedSettings = ['apiKey', ...TTS_VENDORS.flatMap(({ settings }) => secretPaths(settings))].map(
  (path) => [path.split('.')[0], SealedSetting] as const,
);

/** A voice: a text-to-speech engine of the registry and its settings. */
export const VoiceSelection = Closed({
  /** Key in the registry of text-to-speech adapters: `flite`, `espeak-ng`, `openai-compatible`, a vendor's wire key. */
  engine: Type.String(),
  /** Settings in the engine's own terms, validated by its adapter. */
  settings: Type.Unsafe<Record<string, unknown>>(
    Type.Object(Object.fromEntries(sealedSettings) as Record<string, typeof SealedSetting>),
  ),
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
    /** What the agent says if the user stays silent for this long; null to wait without limit. */
    fallback: Nullable(Closed({ ...GreetingSpec, delayMs: Ms })),
  }),
]);
export type FirstSpeakerSpec = Static<typeof FirstSpeakerSpec>;

/** Spoken after `delayMs` of inactivity, counted from the previous message; the first, from the last activity. */
export const InactivityMessageSpec = Closed({
  delayMs: Ms,
  text: Type.String(),
  /** Whether the call ends after the message was played. */
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

export const WebRtcSpec = Closed({ kind: Type.Literal('webRtc'), dataMessages: DataMessageFlags });
export type WebRtcSpec = Static<typeof WebRtcSpec>;

/** How pressed keys are handled. `{digits}` in `text` is replaced by them. */
export const DtmfSpec = Closed({ text: Type.String(), urgency: Urgency });
export type DtmfSpec = Static<typeof DtmfSpec>;

/** A phone call, whose audio the provider streams to and from the `joinUrl`. */
export const TelephonySpec = Closed({
  kind: Type.Enum([...TELEPHONY_DIALECTS]),
  /**
   * True if the worker that holds the call requests the dialling (DIAL_REQUEST); false if the phone call already
   * exists.
   */
  dials: Type.Boolean(),
  /** Null: keys are ignored. */
  dtmf: Nullable(DtmfSpec),
});
export type TelephonySpec = Static<typeof TelephonySpec>;

/**
 * Which audio a SIP call may have. `off` offers none that is encrypted, `optional` offers both, and `required` accepts
 * nothing else than encrypted audio. `off` and `optional` accept what the peer offers, encrypted if it offers that.
 * `dtls` is `required`, with keys from DTLS only.
 */
export const SipEncryption = Type.Enum(['off', 'optional', 'required', 'dtls']);
export type SipEncryption = Static<typeof SipEncryption>;

/**
 * A phone call by SIP: a worker sends or has received the INVITE. Both parties are sealed on the bus, like credentials.
 */
export const SipSpec = Closed({
  kind: Type.Literal('sip'),
  direction: Type.Enum(['incoming', 'outgoing']),
  /** Outgoing: as requested. Incoming: the URIs of the INVITE. */
  to: Secret(Type.String()),
  from: Secret(Type.String()),
  /** Credentials for challenges; null for outgoing calls without credentials and for incoming calls. */
  username: Secret(Nullable(Type.String())),
  password: Secret(Nullable(Type.String())),
  /** Outgoing: host of the server that requests are sent through, with a port and parameters. */
  outboundProxy: Type.Optional(Type.String()),
  dtmf: Nullable(DtmfSpec),
  /** Further headers of the INVITE of an outgoing call. */
  headers: Type.Optional(Secret(Type.Record(Type.String(), Type.String()))),
  /** The codecs of the call's trunk, best first; never empty. Absent: the default ones. */
  codecs: Type.Optional(Type.Array(SipCodec)),
  /** Absent: the worker's setting applies. */
  mediaEncryption: Type.Optional(SipEncryption),
});
export type SipSpec = Static<typeof SipSpec>;

export const MediumSpec = Type.Union([ServerWebSocketSpec, WebRtcSpec, TelephonySpec, SipSpec]);
export type MediumSpec = Static<typeof MediumSpec>;

/** Media of phone calls that can be transferred. */
export const TRANSFERABLE_MEDIA: readonly MediumSpec['kind'][] = [...TELEPHONY_PROVIDERS, 'sip'];

/** A tool as the worker runs it. */
export const CallToolSpec = Closed({
  /** The tool's name for the model; unique in the stage. */
  name: Type.String(),
  /** Null: the tool runs by `http`, `client` or `dataConnection`, according to its definition. */
  builtIn: Nullable(Type.Enum([...BUILT_IN_TOOL_NAMES])),
  definition: CallToolDefinition,
  /** Secrets for the requests of HTTP and MCP tools. */
  auth: Closed({
    headers: Secret(Type.Record(Type.String(), Type.String())),
    queryParams: Secret(Type.Record(Type.String(), Type.String())),
    /** Gets access tokens for the MCP server. */
    oauthClient: Type.Optional(
      Closed({
        clientId: Type.String(),
        clientSecret: Secret(Type.String()),
        scope: Type.Optional(Type.String()),
        tokenUrl: Type.Optional(Type.String()),
      }),
    ),
  }),
});
export type CallToolSpec = Static<typeof CallToolSpec>;

/** JSON object that a stage's tools read and write. */
export const CallState = Type.Record(Type.String(), Type.Unknown());
export type CallState = Static<typeof CallState>;

/** The settings of a stage: defaults applied, names resolved, durations in milliseconds. Immutable. */
export const StageSpec = Closed({
  stageId: Uuid,
  systemPrompt: Type.String(),
  /** Name in the model catalogue; the worker's configuration maps it to a server. */
  model: Type.String(),
  temperature: Type.Number(),
  voice: VoiceSelection,
  languageHint: Nullable(Type.String()),
  /** Names and words that the user may say, the most important first. Absent: none. */
  keyTerms: Type.Optional(Type.Array(Type.String())),
  initialMessages: Type.Array(Message),
  /** Spoken when maxDuration is reached. */
  timeExceededMessage: Nullable(Type.String()),
  inactivityMessages: Type.Array(InactivityMessageSpec),
  vad: VadSpec,
  tools: Type.Array(CallToolSpec),
  initialState: CallState,
});
export type StageSpec = Static<typeof StageSpec>;

/** A WebSocket of the customer that the call connects to. */
export const DataConnectionSpec = Closed({
  url: Type.String(),
  headers: Secret(Type.Record(Type.String(), Type.String())),
  dataMessages: DataMessageFlags,
  /** Null: no audio is sent. */
  audio: Nullable(Closed({ sampleRateHz: Type.Integer(), channelMode: Type.Enum(['mixed', 'separated']) })),
});
export type DataConnectionSpec = Static<typeof DataConnectionSpec>;

export const BackgroundAudioSpec = Closed({
  audioClip: Type.String(),
  /** 0 to 1. */
  volume: Type.Number({ minimum: 0, maximum: 1 }),
});
export type BackgroundAudioSpec = Static<typeof BackgroundAudioSpec>;

/** What an outgoing call does when a machine answers. */
export const AnsweringMachineSpec = Closed({
  onMachine: MachineAction,
  /** What the agent says to a machine; empty unless `onMachine` is `leave_message`. */
  message: Type.String(),
  onIvr: MenuAction,
  onScreening: MenuAction,
});
export type AnsweringMachineSpec = Static<typeof AnsweringMachineSpec>;

/** How the agent navigates phone menus. */
export const IvrNavigationSpec = Closed({
  mode: IvrMode,
  promptPauseMs: Ms,
  options: Type.Array(Type.String()),
  silenceLimitMs: Ms,
});
export type IvrNavigationSpec = Static<typeof IvrNavigationSpec>;

export const OutputMedium = Type.Enum(['voice', 'text']);

/**
 * Everything a media-worker needs to run a call: the request with defaults applied, names resolved and durations in
 * milliseconds. Created with the call; immutable.
 */
export const CallSpec = Closed({
  callId: Uuid,
  accountId: Uuid,
  createdAtMs: Ms,
  /** The first stage. */
  firstStage: StageSpec,
  joinTimeoutMs: Ms,
  maxDurationMs: Ms,
  firstSpeaker: FirstSpeakerSpec,
  /** Adds a prompt that requests a greeting if no initial message requires a response. */
  greetingPromptEnabled: Type.Boolean(),
  medium: MediumSpec,
  initialOutputMedium: OutputMedium,
  /** Allowed mediums of both sides; never empty. */
  allowedMediums: Type.Array(OutputMedium),
  recordingEnabled: Type.Boolean(),
  /** `zdr`: spoken or written words and audio are never stored on disk. */
  retention: RetentionPolicy,
  metadata: Type.Record(Type.String(), Type.String()),
  /** Secrets that sign requests to customers' addresses; without them, requests are not signed. */
  sharedSecrets: Secret(Type.Array(Type.String())),
  dataConnection: Nullable(DataConnectionSpec),
  backgroundAudio: Nullable(BackgroundAudioSpec),
  /** Absent: what answers the call is not detected. */
  answeringMachine: Type.Optional(AnsweringMachineSpec),
  /** Absent: the defaults apply. */
  ivrNavigation: Type.Optional(IvrNavigationSpec),
});
export type CallSpec = Static<typeof CallSpec>;
