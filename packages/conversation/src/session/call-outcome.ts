import type { EndReason } from '@calls/api-contract/rest/enums';
import type { StoredRecording } from '../ports/recordings.ts';
import type { CallSnapshot } from './call-snapshot.ts';

/** A call that is over. */
export interface CallOutcome {
  kind: 'ended';
  reason: EndReason;
  /** Whom the provider is to connect the phone call with from now on: a phone number or SIP URI. */
  transferTo: string | null;
  /** When the call was over, in wall time; what was left to close and to store took longer. */
  endedAtMs: number;
  inputTokens: number;
  outputTokens: number;
  /** Null where the call was not to be recorded, or could not be. */
  recording: StoredRecording | null;
}

/** A call whose client may come back. */
export interface SuspendedCall {
  kind: 'suspended';
  snapshot: CallSnapshot;
  /** When its connection was lost, in wall time. */
  lostAtMs: number;
}
