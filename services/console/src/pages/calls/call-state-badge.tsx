import type { Schemas } from '../../api/client.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { END_REASONS, stateOf } from './call-words.ts';

/** `Live`, `Waiting`, or how it ended. */
export function CallStateBadge({ call }: { call: Schemas['Call'] }) {
  const state = stateOf(call);
  if (state === 'live') return <StatusBadge tone="live">Live</StatusBadge>;
  if (state === 'waiting') return <StatusBadge tone="warning">Waiting for its client</StatusBadge>;
  if (call.endReason === null) return <StatusBadge tone="neutral">Ended</StatusBadge>;
  const { words, tone } = END_REASONS[call.endReason];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
}
