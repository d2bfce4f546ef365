import { Group, Progress, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useNow } from '../../components/time.tsx';

export type Batch = Schemas['ScheduledCallBatch'];

const CHECK_MS = 10_000;

export function BatchState({ batch: { endedAt, paused, windowStart } }: { batch: Batch }) {
  const nowMs = useNow(CHECK_MS);
  if (endedAt !== null) return <StatusBadge tone="neutral">Ended</StatusBadge>;
  if (paused === true) return <StatusBadge tone="warning">Paused</StatusBadge>;
  const isFuture = windowStart != null && Date.parse(windowStart) > nowMs;
  return isFuture ? (
    <StatusBadge tone="neutral">Scheduled</StatusBadge>
  ) : (
    <StatusBadge tone="live">Running</StatusBadge>
  );
}

export function BatchProgress({ batch: { completedCount, totalCount } }: { batch: Batch }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <Progress
        value={(completedCount / totalCount) * 100}
        aria-label="Progress"
        style={{ flex: 1, minWidth: '3rem' }}
      />
      <Text span inherit className="numbers" style={{ flex: 'none' }}>
        {completedCount.toLocaleString()} of {totalCount.toLocaleString()}
      </Text>
    </Group>
  );
}
