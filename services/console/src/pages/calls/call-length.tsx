import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { Duration, RunningDuration } from '../../components/duration.tsx';
import { callDurationMs } from './call-words.ts';

/** How long it lasted, or has lasted so far. */
export function CallLength({ call }: { call: Schemas['Call'] }) {
  const ms = callDurationMs(call);
  if (ms !== null) return <Duration ms={ms} />;
  if (call.joined !== null && call.ended === null) return <RunningDuration since={call.joined} />;
  return (
    <Text span inherit c="dimmed" aria-label="none">
      –
    </Text>
  );
}
