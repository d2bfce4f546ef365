import type { AdmissionClass } from '@calls/api-contract/bus/created-call';
import type { CallSettings } from '@calls/api-contract/rest/call-settings';
import type {
  BillingStatus,
  EndReason,
  RetentionPolicy,
  SipTermination,
} from '@calls/api-contract/rest/enums';
import type { ColumnType, Generated } from 'kysely';

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
  /** The media worker that last held the joined call; null if the call was never joined. */
  worker_id: string | null;
  /** When a client was rejected because no worker had capacity; null if never. */
  refused_at: Date | null;
  /** When the phone call was requested from the provider; null if never. */
  dialled_at: Date | null;
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
  /** A catalogue voice; null for any other voice. */
  voice_id: string | null;
  billing_status: Generated<BillingStatus>;
  billed_duration_ms: number | null;
  side_input_tokens: number | null;
  side_output_tokens: number | null;
  short_summary: string | null;
  summary: string | null;
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
}
