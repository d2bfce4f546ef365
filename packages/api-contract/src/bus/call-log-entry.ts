import { marked } from '@calls/foundation/schema/annotations';
import { CALLED_PARTY_MARK } from '@calls/foundation/schema/keywords';
import { Closed, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { CallState, OutputMedium } from '../call-spec.ts';
import { EndReason, Severity, SipTermination } from '../rest/enums.ts';
import { Message } from '../rest/message.ts';

export const MAX_CLIENT_VERSION_LENGTH = 128;

/** The client connected: the call is live. */
const Joined = Closed({
  type: Type.Literal('joined'),
  clientVersion: Nullable(Type.String({ maxLength: MAX_CLIENT_VERSION_LENGTH })),
  workerId: Type.String({ maxLength: 256 }),
});

/** The first entry of a new owner after a failover. */
const TakenOver = Closed({
  type: Type.Literal('taken_over'),
  workerId: Type.String({ maxLength: 256 }),
});

/** A message was added to the history of a stage. `index` is dense and 0-based within the stage. */
const MessageAdded = Closed({
  type: Type.Literal('message_added'),
  stageId: Uuid,
  index: Type.Integer({ minimum: 0 }),
  message: Message,
  /** Token usage since the join; absent if unchanged. */
  usage: Type.Optional(
    Closed({ inputTokens: Type.Integer({ minimum: 0 }), outputTokens: Type.Integer({ minimum: 0 }) }),
  ),
});

/** Later responses use this medium. */
const OutputMediumSet = Closed({ type: Type.Literal('output_medium_set'), medium: OutputMedium });

/**
 * A stored stage began. `messageCount`: number of its initial messages. `callState`: the state carried over from the
 * previous stage; absent if the stage has its own.
 */
const StageBegan = Closed({
  type: Type.Literal('stage_began'),
  stageId: Uuid,
  messageCount: Type.Integer({ minimum: 0 }),
  callState: Type.Optional(CallState),
});

/** A call event, shown by `GET /api/calls/{call_id}/events`. */
const Noted = Closed({
  type: Type.Literal('noted'),
  stageId: Uuid,
  /** Milliseconds since the join; 0 before it. */
  callTimestampMs: Type.Number({ minimum: 0 }),
  severity: Severity,
  eventType: Type.String({ maxLength: 50 }),
  text: Type.String({ maxLength: 4096 }),
  extras: Nullable(Type.Record(Type.String(), Type.Unknown())),
});

/**
 * The `eventType` of token usage per model request, with `inputTokens` and `outputTokens` in `extras`. Token counts of
 * stages are computed from these.
 */
export const MODEL_USAGE_EVENT = 'model_usage';

/**
 * The `eventType` of what answered an outgoing call, with `answeredBy` in `extras`. The newest one of a call is stored with it.
 */
export const ANSWERED_BY_EVENT = 'answered_by';

/** The `eventType` of a query of a corpus by a tool, with `query` and `passages` in `extras`. */
export const KNOWLEDGE_EVENT = 'knowledge';

/** The `eventType`s of a phone menu on the line, with `cause` in `extras`. */
export const MENU_BEGAN_EVENT = 'menu_began';
export const MENU_ENDED_EVENT = 'menu_ended';

/**
 * The `eventType` of a response that was cut off because the client was lost or the worker stopped. `remainder` in
 * `extras` is the text with which the next session continues; null if it generates the response again.
 */
export const RESPONSE_CUT_OFF_EVENT = 'response_cut_off';

/** The `eventType` of a SIP message of a live call. */
export const SIP_MESSAGE_EVENT = 'sip_message';

/** The `eventType` of the statistics of a media connection that ended, which are in `extras`. */
export const MEDIA_STATISTICS_EVENT = 'media_statistics';

/** The `eventType` of what supervisors did, with `supervisorId` in `extras`. All of them are recorded. */
export const SUPERVISION_EVENTS = [
  'supervisor_joined',
  'supervisor_left',
  'supervisor_whispered',
  'call_taken_over',
  'call_handed_back',
] as const;
export type SupervisionEvent = (typeof SUPERVISION_EVENTS)[number];

/** The `eventType` of what happened in a warm transfer, with `transferId` in `extras`. All of them are recorded. */
export const WARM_TRANSFER_EVENTS = [
  'warm_transfer_started',
  'warm_transfer_answered',
  'warm_transfer_connected',
  'warm_transfer_ended',
] as const;
export type WarmTransferEventType = (typeof WARM_TRANSFER_EVENTS)[number];

/** The recording in the object storage. */
export const RecordingInfo = Closed({
  key: Type.String({ maxLength: 512 }),
  durationMs: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
});
export type RecordingInfo = Static<typeof RecordingInfo>;

/** The SIP part of a call. */
export const SipFacts = Closed({
  /** When the INVITE was sent or received. */
  dialledAtMs: Type.Number({ minimum: 0 }),
  /** From there to the end of the dialog or attempt. */
  durationMs: Type.Number({ minimum: 0 }),
  terminationReason: SipTermination,
  /** Object storage key of its messages; null if there are none. */
  logKey: Nullable(Type.String({ maxLength: 512 })),
});
export type SipFacts = Static<typeof SipFacts>;

/** The last event of a call. `joinedAtMs` is null if no client joined the call. */
const Ended = Closed({
  type: Type.Literal('ended'),
  endReason: EndReason,
  joinedAtMs: Nullable(Type.Number()),
  inputTokens: Type.Integer({ minimum: 0 }),
  outputTokens: Type.Integer({ minimum: 0 }),
  /** Null or absent without a recording. */
  recording: Type.Optional(Nullable(RecordingInfo)),
  /** Phone number or SIP URI that the provider connects the call with after the end, at most 256 characters before it is sealed. */
  transferTo: Type.Optional(marked(Type.String({ maxLength: 1024 }), CALLED_PARTY_MARK)),
  /** Absent without an INVITE. */
  sip: Type.Optional(SipFacts),
});

export const CallLogEntryBody = Type.Union([
  Joined,
  TakenOver,
  MessageAdded,
  OutputMediumSet,
  StageBegan,
  Noted,
  Ended,
]);
export type CallLogEntryBody = Static<typeof CallLogEntryBody>;

/**
 * On `calls.<callId>.events`, the call's log. `seq` counts from 1 without gaps within a call, across all writers;
 * (callId, seq) identifies an entry across redeliveries. `epoch` is that of the lease under which the entry was written,
 * or 0 without a lease; it never decreases within a log.
 */
export const CallLogEntry = Closed({
  callId: Uuid,
  accountId: Uuid,
  seq: Type.Integer({ minimum: 1 }),
  epoch: Type.Integer({ minimum: 0 }),
  wallClockMs: Type.Number({ minimum: 0 }),
  body: CallLogEntryBody,
});
export type CallLogEntry = Static<typeof CallLogEntry>;

export const callLogEntryValidator = compileValidator('call event', CallLogEntry);

export function callLogSubject(callId: string): string {
  return `calls.${callId}.events`;
}

/** Matches the events of every call. */
export const ALL_CALL_LOGS_SUBJECT = 'calls.*.events';
