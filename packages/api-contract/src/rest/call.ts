import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { CallMedium, FirstSpeakerSettings, VadSettings } from './call-settings.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';
import { BillingStatus, EndReason, MessageMediumEnum, Severity } from './enums.ts';
import { Message } from './message.ts';

export const DEFAULT_MODEL = 'svc-v0.7';
export const DEFAULT_JOIN_TIMEOUT = '30s';
export const DEFAULT_MAX_DURATION = '3600s';

/** Keys of `metadata` that callers may not use begin with this. */
export const RESERVED_METADATA_PREFIX = 'svc.';

/** BCP 47 (RFC 5646) tags of up to 16 characters: `en`, `en-GB`, `zh-Hant-TW`. */
export const LanguageTag = Type.String({
  maxLength: 16,
  pattern: '^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$',
  description: 'must be a BCP 47 language tag of at most 16 characters, such as "en-GB"',
});

/** Body of `POST /api/calls`. */
export const StartCallRequest = Closed({
  systemPrompt: Type.Optional(Type.String({ maxLength: 524_288 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  voice: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  languageHint: Type.Optional(LanguageTag),
  initialMessages: Type.Optional(Type.Array(Message, { maxItems: 1000 })),
  joinTimeout: Type.Optional(Duration),
  maxDuration: Type.Optional(Duration),
  firstSpeakerSettings: Type.Optional(FirstSpeakerSettings),
  vadSettings: Type.Optional(VadSettings),
  medium: Type.Optional(CallMedium),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 4096 }), { maxProperties: 100 }),
  ),
  recordingEnabled: Type.Optional(Type.Boolean()),
  initialOutputMedium: Type.Optional(MessageMediumEnum),
});
export type StartCallRequest = Static<typeof StartCallRequest>;

/** Query of `POST /api/calls`. */
export const StartCallQuery = Closed({ enableGreetingPrompt: Type.Optional(Type.Boolean()) });
export type StartCallQuery = Static<typeof StartCallQuery>;

/** A call as every endpoint answers it. */
export const Call = Closed({
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
  firstSpeaker: Type.Enum(['FIRST_SPEAKER_AGENT', 'FIRST_SPEAKER_USER']),
  firstSpeakerSettings: FirstSpeakerSettings,
  initialOutputMedium: Type.Enum(['MESSAGE_MEDIUM_VOICE', 'MESSAGE_MEDIUM_TEXT']),
  joinTimeout: Duration,
  joinUrl: Nullable(Type.String()),
  languageHint: Nullable(Type.String()),
  maxDuration: Duration,
  medium: CallMedium,
  model: Type.String(),
  recordingEnabled: Type.Boolean(),
  systemPrompt: Nullable(Type.String()),
  temperature: Type.Number(),
  voice: Nullable(Type.String()),
  vadSettings: Nullable(VadSettings),
  shortSummary: Nullable(Type.String()),
  summary: Nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
});
export type Call = Static<typeof Call>;

/** One entry of `GET /api/calls/{call_id}/events`. */
export const CallEvent = Closed({
  callId: Uuid,
  callStageId: Uuid,
  callTimestamp: Duration,
  severity: Severity,
  type: Type.String({ maxLength: 50 }),
  text: Type.String(),
  extras: Nullable(Type.Record(Type.String(), Type.Unknown())),
  wallClockTimestamp: Nullable(DateTime),
});
export type CallEvent = Static<typeof CallEvent>;
