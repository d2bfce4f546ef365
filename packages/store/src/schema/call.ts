import type { BillingStatus, EndReason, StartCallRequest } from '@calls/api-contract';
import type { ColumnType, Generated } from 'kysely';

/** A call request with the defaults of its top-level fields filled in, in the API's own terms; never changes. */
export type CallSettings = StartCallRequest &
  Required<
    Pick<
      StartCallRequest,
      | 'temperature'
      | 'model'
      | 'joinTimeout'
      | 'maxDuration'
      | 'firstSpeakerSettings'
      | 'medium'
      | 'metadata'
      | 'recordingEnabled'
      | 'initialOutputMedium'
    >
  >;

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
}
