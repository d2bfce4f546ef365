import type { EndReason } from '@calls/api-contract';
import type { StoredRecording } from '../ports/recordings.ts';

export interface CallOutcome {
  reason: EndReason;
  /** When the call was over, in wall time; what was left to close and to store took longer. */
  endedAtMs: number;
  inputTokens: number;
  outputTokens: number;
  /** Null where the call was not to be recorded, or could not be. */
  recording: StoredRecording | null;
}
