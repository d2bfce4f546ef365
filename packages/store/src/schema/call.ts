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
  /** When the call is over at the latest: the join timeout while nobody joined, then the maximal duration. */
  expires_at: Date;
  joined_at: Date | null;
  ended_at: Date | null;
  end_reason: EndReason | null;
  client_version: string | null;
  /** The media worker that held the joined call last; null: nobody joined it. */
  worker_id: string | null;
  /** When a client was turned away for want of room; null: never. */
  refused_at: Date | null;
  /** When its phone call was ordered from the provider; null: never. */
  dialled_at: Date | null;
  /** Whom the provider connects the phone call with after the end; null: nobody. Never of calls whose words reach no disk. */
  transfer_to: string | null;
  /** When its INVITE was sent, or came; null with all that follows: there was none, or nobody told of it. */
  sip_dialled_at: Date | null;
  sip_duration_ms: number | null;
  sip_billed_duration_ms: number | null;
  sip_termination: SipTermination | null;
  /** Under which the object storage has its SIP messages; null where there are none, and of calls whose words reach no disk. */
  sip_log_key: string | null;
  /** Of the catalogue; null for a voice that isn't in it. */
  voice_id: string | null;
  billing_status: Generated<BillingStatus>;
  billed_duration_ms: number | null;
  side_input_tokens: number | null;
  side_output_tokens: number | null;
  short_summary: string | null;
  summary: string | null;
  /** Under which the object storage has the recording; null where there is none. */
  recording_key: string | null;
  recording_duration_ms: number | null;
  recording_bytes: number | null;
  metadata: ColumnType<Record<string, string>, string, string>;
  settings: ColumnType<CallSettings, string, never>;
  agent_id: string | null;
  agent_revision_id: string | null;
  /** As it was when the call was created. */
  agent_name: string | null;
  retention_policy: Generated<RetentionPolicy>;
  admission_class: Generated<AdmissionClass>;
  /** Of the account's free time, until the call ends; null where the plan has none. */
  free_seconds_reserved: number | null;
  /** Null: none; JSON null is not stored. */
  request_context: ColumnType<unknown, string | null, never>;
  throttle_id: string | null;
  prior_call_id: string | null;
  scheduled_batch_id: string | null;
  /** Begun by a person in the console: free. */
  from_console: Generated<boolean>;
}
