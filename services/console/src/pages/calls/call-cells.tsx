import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Duration, RunningDuration } from '../../components/time.tsx';
import { callDurationMs, END_REASONS, stateOf } from './call-labels.ts';

/** `Live`, `Waiting`, or the end reason. */
export function CallStateBadge({ call }: { call: Schemas['CallSummary'] }) {
  const state = stateOf(call);
  if (state === 'live') return <StatusBadge tone="live">Live</StatusBadge>;
  if (state === 'waiting') return <StatusBadge tone="warning">Waiting for its client</StatusBadge>;
  if (call.endReason === null) return <StatusBadge tone="neutral">Ended</StatusBadge>;
  const { words, tone } = END_REASONS[call.endReason];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
}

/** The duration, or the time so far. */
export function CallLength({ call }: { call: Schemas['CallSummary'] }) {
  const ms = callDurationMs(call);
  if (ms !== null) return <Duration ms={ms} />;
  if (call.joined !== null && call.ended === null) return <RunningDuration since={call.joined} />;
  return (
    <Text span inherit c="dimmed" aria-label="none">
      –
    </Text>
  );
}
