import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TObject, type TProperties } from 'typebox';
import { ChatReply, ChatRule, ToolCallStyle } from './chat-reply.ts';

export const ROLES = ['stt', 'llm', 'tts', 'embeddings', 'rerank'] as const;
export type Role = (typeof ROLES)[number];

const Behaviour = Type.Enum([
  /** Responds after the role's delay. */
  'ok',
  /** As `ok`, `slowMs` later. */
  'slow',
  /** `errorStatus` with an error body. */
  'error',
  /** Breaks the connection in the middle of the response. */
  'cut',
  /** Stops in the middle of the response and keeps the connection open. */
  'stall',
  /** Accepts the request and never responds. */
  'never',
  /** Status 200 with an invalid body. */
  'garbage',
  /** Status 200 with an empty response. */
  'empty',
  /** Breaks the connection without a response. */
  'refuse',
]);
export type Behaviour = Static<typeof Behaviour>;

const Ms = Type.Number({ minimum: 0, maximum: 600_000 });

const COMMON = {
  behaviour: Behaviour,
  slowMs: Ms,
  errorStatus: Type.Integer({ minimum: 300, maximum: 599 }),
};

/** Replies in place of the default, used in rotation; empty: the default. */
const Replies = Type.Array(Type.String());

const SttSettings = Type.Object({ ...COMMON, delayMs: Ms, replies: Replies });
const LlmSettings = Type.Object({
  ...COMMON,
  firstTokenMs: Ms,
  tokenGapMs: Ms,
  replies: Type.Array(ChatReply),
  /** Tried in order before `replies`, without using any of them up. */
  rules: Type.Array(ChatRule),
  toolCallStyle: ToolCallStyle,
  /** Whether the user and the assistant must speak in turn, as chat templates of some models require. */
  strictOrder: Type.Boolean(),
});
const TtsSettings = Type.Object({
  ...COMMON,
  firstAudioMs: Ms,
  /** Real-time factor of the audio: 0 sends it all immediately, 1 at the pace of playback. */
  realTimeFactor: Type.Number({ minimum: 0, maximum: 10 }),
  /** Duration of speech. */
  msPerCharacter: Type.Number({ minimum: 1, maximum: 1000 }),
});

const EmbeddingSettings = Type.Object({
  ...COMMON,
  delayMs: Ms,
  /** Words with one meaning: each list counts as one word. */
  synonyms: Type.Array(Type.Array(Type.String())),
});

const RerankSettings = Type.Object({
  ...COMMON,
  delayMs: Ms,
  /** Whether scores are logits, as some servers return them, instead of values from 0 to 1. */
  logits: Type.Boolean(),
});

export type SttSettings = Static<typeof SttSettings>;
export type LlmSettings = Static<typeof LlmSettings>;
export type TtsSettings = Static<typeof TtsSettings>;
export type EmbeddingSettings = Static<typeof EmbeddingSettings>;
export type RerankSettings = Static<typeof RerankSettings>;

export interface StandInSettings {
  stt: SttSettings;
  llm: LlmSettings;
  tts: TtsSettings;
  embeddings: EmbeddingSettings;
  rerank: RerankSettings;
}

const changes = <P extends TProperties>(schema: TObject<P>) =>
  Type.Optional(Type.Partial(schema, { additionalProperties: false }));

/** Body of `POST /control`: given fields change for later requests. */
const StandInControl = Type.Object(
  {
    stt: changes(SttSettings),
    llm: changes(LlmSettings),
    tts: changes(TtsSettings),
    embeddings: changes(EmbeddingSettings),
    rerank: changes(RerankSettings),
    /** Clears the request log. */
    forgetRequests: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type StandInControl = Static<typeof StandInControl>;

export const standInControl = compileValidator('control', StandInControl);

const HEALTHY = { behaviour: 'ok', slowMs: 10_000, errorStatus: 500 } as const;

export interface StandInDelays {
  sttDelayMs: number;
  llmFirstTokenMs: number;
  llmTokenGapMs: number;
  ttsFirstAudioMs: number;
  ttsRealTimeFactor: number;
}

export function initialSettings(delays: StandInDelays): StandInSettings {
  return {
    stt: { ...HEALTHY, delayMs: delays.sttDelayMs, replies: [] },
    llm: {
      ...HEALTHY,
      firstTokenMs: delays.llmFirstTokenMs,
      tokenGapMs: delays.llmTokenGapMs,
      replies: [],
      rules: [],
      toolCallStyle: 'pieces',
      strictOrder: true,
    },
    tts: {
      ...HEALTHY,
      firstAudioMs: delays.ttsFirstAudioMs,
      realTimeFactor: delays.ttsRealTimeFactor,
      msPerCharacter: 60,
    },
    embeddings: { ...HEALTHY, delayMs: 0, synonyms: [] },
    rerank: { ...HEALTHY, delayMs: 0, logits: false },
  };
}

export function changedSettings(settings: StandInSettings, control: StandInControl): StandInSettings {
  return {
    stt: { ...settings.stt, ...control.stt },
    llm: { ...settings.llm, ...control.llm },
    tts: { ...settings.tts, ...control.tts },
    embeddings: { ...settings.embeddings, ...control.embeddings },
    rerank: { ...settings.rerank, ...control.rerank },
  };
}
