import type { CallSpec } from '@calls/api-contract/call-spec';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type { CallOutcome } from './call-outcome.ts';
import type { CallSnapshot } from './call-snapshot.ts';
import type { ConversationServices } from './services.ts';

export interface SuspendedEnd {
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
