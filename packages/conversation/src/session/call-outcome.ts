import type { CallSpec } from '@calls/api-contract/call-spec';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type { StoredRecording } from '../ports/recordings.ts';
import type { CallSnapshot } from './call-snapshot.ts';
import type { ConversationServices } from './services.ts';

/** A call that has ended. */
export interface CallOutcome {
  kind: 'ended';
  reason: EndReason;
  /** The phone number or SIP URI that the provider must transfer the phone call to. */
  transferTo: string | null;
  /** When the call ended, in wall time. Closing and storing take place afterwards. */
  endedAtMs: number;
  inputTokens: number;
  outputTokens: number;
  /** Null if the call was not recorded or the recording failed. */
  recording: StoredRecording | null;
}

/** `endedAtMs`: now, unless it is set. */
export type CallEnding = Omit<CallOutcome, 'kind' | 'endedAtMs'> & Partial<Pick<CallOutcome, 'endedAtMs'>>;

/** The ending of a call that no client has joined. */
export const UNJOINED: CallEnding = {
  reason: 'unjoined',
  transferTo: null,
  inputTokens: 0,
  outputTokens: 0,
  recording: null,
};

/** A call whose client may reconnect. */
export interface SuspendedCall {
  kind: 'suspended';
  snapshot: CallSnapshot;
  /** When the connection was lost, in wall time. */
  lostAtMs: number;
  /** A stopping media-worker handed the call over. */
  isHandedOver: boolean;
}

interface SuspendedEnd {
  spec: CallSpec;
  snapshot: CallSnapshot;
  services: Pick<ConversationServices, 'recordings' | 'traces'>;
  reason: EndReason;
  /** Wall time. */
  endedAtMs: number;
}

/** Ends a suspended call: completes its stored recording and trace. Never rejects. */
export async function finishSuspended(end: SuspendedEnd): Promise<CallOutcome> {
  const { spec, snapshot, services, reason, endedAtMs } = end;
  const [recording] = await Promise.all([
    spec.recordingEnabled ? services.recordings.finish(spec) : null,
    spec.retention === 'zdr' ? null : services.traces?.finish(spec),
  ]);
  return { kind: 'ended', reason, transferTo: null, endedAtMs, ...snapshot.usage, recording };
}
