import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { AdmissionClass } from '@calls/api-contract/bus/created-call';
import type { CallAnalysis } from '@calls/api-contract/rest/call-analysis';
import type { CallSettings, StageOverrides } from '@calls/api-contract/rest/call-settings';
import type {
  AnsweredBy,
  BillingStatus,
  EndReason,
  RetentionPolicy,
  SipTermination,
  Severity,
} from '@calls/api-contract/rest/enums';
import type { Message } from '@calls/api-contract/rest/message';
import type { CallThrottleRule } from '@calls/api-contract/rest/call-throttle';

export interface CallTable {
  call_id: string;
  account_id: string;
  created_at: ColumnType<Date, Date, never>;
  /** When the call ends at the latest: the join timeout until the call is joined, then the maximum duration. */
  expires_at: Date;
  joined_at: Date | null;
  ended_at: Date | null;
  end_reason: EndReason | null;
  client_version: string | null;
  /** What answered an outgoing call; null if not known, or not asked for. */
  answered_by: AnsweredBy | null;
  /** The media-worker that last held the joined call; null if the call was never joined. */
  worker_id: string | null;
  /** When a client was rejected because no worker had capacity; null if never. */
  refused_at: Date | null;
  /** When the phone call was requested from the provider; null if never. */
  dialled_at: Date | null;
  /** The provider's id of that phone call; null if it is unknown, or if the provider has reported its end. */
  provider_call_id: string | null;
  /**
   * Number or address to which the provider transfers the phone call after the end; null if none. Always null
   * for calls with zero data retention.
   */
  transfer_to: string | null;
  /**
   * When its INVITE was sent or received. This and the following columns are null if there was none or it was
   * not reported.
   */
  sip_dialled_at: Date | null;
  sip_duration_ms: number | null;
  sip_billed_duration_ms: number | null;
  sip_termination: SipTermination | null;
  /** Object storage key of its SIP messages; null if there are none, and for calls with zero data retention. */
  sip_log_key: string | null;
  /** The SIP trunk that the call goes through, which may have been deleted. */
  sip_trunk_id: string | null;
  /** A catalogue voice; null for any other voice. */
  voice_id: string | null;
  billing_status: Generated<BillingStatus>;
  billed_duration_ms: number | null;
  side_input_tokens: number | null;
  side_output_tokens: number | null;
  short_summary: string | null;
  summary: string | null;
  /** Null if none was requested. */
  analysis: ColumnType<CallAnalysis | null, never, string>;
  /** What lists find the analysis by. */
  analysis_labels: ColumnType<Record<string, string> | null, never, string>;
  /** Object storage key of the recording; null if there is none. */
  recording_key: string | null;
  recording_duration_ms: number | null;
  recording_bytes: number | null;
  metadata: ColumnType<Record<string, string>, string, string>;
  settings: ColumnType<CallSettings, string, never>;
  agent_id: string | null;
  agent_revision_id: string | null;
  /** The agent's name when the call was created. */
  agent_name: string | null;
  retention_policy: Generated<RetentionPolicy>;
  admission_class: Generated<AdmissionClass>;
  /** Free seconds of the account reserved until the call ends; null if the plan has no free time. */
  free_seconds_reserved: number | null;
  /** Null if none; JSON null is not stored. */
  request_context: ColumnType<unknown, string | null, never>;
  throttle_id: string | null;
  prior_call_id: string | null;
  scheduled_batch_id: string | null;
  /** Started by a user in the console: free of charge. */
  from_console: Generated<boolean>;
  /** Digest of the request that created the call; null if that had no Idempotency-Key. */
  request_digest: string | null;
}

export interface CallStageTable {
  stage_id: string;
  call_id: string;
  /** 0 for the first; ordered by the time the stages began. */
  stage_index: number;
  created_at: ColumnType<Date, Date, never>;
  /** For later stages: when the call entered the stage; null if it has not. */
  began_at: ColumnType<Date | null, never, Date>;
  /** Number of messages that the stage began with, as opposed to those said in it. */
  initial_message_count: Generated<number>;
  /** Settings that override the call's settings in this stage; empty for the first. Secrets encrypted. */
  overrides: ColumnType<StageOverrides, string, never>;
}

export interface CallMessageTable {
  call_id: string;
  stage_id: string;
  /** Dense and 0-based within the stage. */
  message_index: number;
  /** Sequence number of the log entry that contained the message. */
  seq: number;
  role: string;
  added_at: ColumnType<Date, Date, never>;
  message: ColumnType<Message, string, string>;
}

/** User-visible events of a call. */
export interface CallEventTable {
  call_id: string;
  seq: number;
  stage_id: string;
  call_timestamp_ms: number;
  wall_clock_at: ColumnType<Date, Date, never>;
  severity: Severity;
  type: string;
  text: string;
  extras: ColumnType<Record<string, unknown> | null, string | null, never>;
}

/** Applied call log entries: prevents handling an entry twice. */
export interface CallEventLogTable {
  call_id: string;
  seq: number;
  type: string;
}

/** Written only by database triggers, from `calls`. */
type TriggerMaintained<T> = ColumnType<T, never, never>;

/**
 * The data by which a call is found, counted and billed: one row for every call ever created. When the call
 * is deleted, the row remains as its tombstone.
 */
export interface CallFactsTable {
  call_id: TriggerMaintained<string>;
  account_id: TriggerMaintained<string>;
  created_at: TriggerMaintained<Date>;
  joined_at: TriggerMaintained<Date | null>;
  ended_at: TriggerMaintained<Date | null>;
  /** Time from joined to ended; 0 if the call was never joined, null until it has ended. */
  duration_ms: GeneratedAlways<number | null>;
  time_of_day: GeneratedAlways<string>;
  end_reason: TriggerMaintained<EndReason | null>;
  agent_id: TriggerMaintained<string | null>;
  voice_id: TriggerMaintained<string | null>;
  billing_status: TriggerMaintained<BillingStatus>;
  billed_duration_ms: TriggerMaintained<number | null>;
  sip_billed_duration_ms: TriggerMaintained<number | null>;
  max_duration: TriggerMaintained<string>;
  recording_enabled: TriggerMaintained<boolean>;
  had_summary: TriggerMaintained<boolean>;
  /** A digest of each pair of the metadata (`call_label` in SQL). */
  labels: TriggerMaintained<number[]>;
  /** Texts and phone numbers matched by the `search` filter. */
  said: TriggerMaintained<string>;
  /** A digest of each label of the analysis; null without one, and for deleted calls. */
  analysis_labels: TriggerMaintained<number[] | null>;
  deleted_at: TriggerMaintained<Date | null>;
}

/** Requested analyses of calls that are not completed. */
export interface CallAnalysisRequestTable {
  call_id: string;
  run_id: string;
  account_id: string;
  /** Not claimed before this time; a claim postpones it. */
  due_at: Date;
}

export interface CallThrottleTable {
  throttle_id: string;
  account_id: string;
  name: string;
  rules: ColumnType<CallThrottleRule[], string, string>;
  created_at: ColumnType<Date, Date, never>;
}

/** Tables of calls, their contents and their throttles. */
export interface CallTables {
  calls: CallTable;
  call_stages: CallStageTable;
  call_messages: CallMessageTable;
  call_events: CallEventTable;
  call_event_log: CallEventLogTable;
  call_facts: CallFactsTable;
  call_analysis_requests: CallAnalysisRequestTable;
  call_throttles: CallThrottleTable;
}
