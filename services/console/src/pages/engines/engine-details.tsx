import { Group, Text } from '@mantine/core';
import { Facts } from '../../components/layout.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { FAILURES, HEALTH, KINDS, LIMITATIONS, USES, type Engine } from './engine-labels.ts';

/** An engine and its measurements. */
export function EngineDetails({ engine }: { engine: Engine }) {
  const { name, model, kind, use, health, latencyMs, lastSuccess, lastFailure, lastFailureCode } = engine;
  const { tone, words } = HEALTH[health];
  const isEmbedded = kind === 'embedded';
  return (
    <>
      <Group gap="xs" mb="xs">
        <Text fw={600}>{model ?? name}</Text>
        {model !== null && <Text c="dimmed">{name}</Text>}
        <StatusBadge tone={isEmbedded ? 'warning' : 'neutral'}>{KINDS[kind]}</StatusBadge>
        <StatusBadge tone={tone}>{words}</StatusBadge>
      </Group>
      {isEmbedded && (
        <Text c="dimmed" fz="sm" mb="xs">
          {LIMITATIONS[name]}
        </Text>
      )}
      <Facts
        facts={[
          ['Used', USES[use]],
          [
            'Latency',
            latencyMs === undefined ? 'Not known: no successful request yet' : latencyText(latencyMs),
          ],
          lastSuccess === null ? null : ['Last success', <RelativeTime at={lastSuccess} />],
          lastFailure === null
            ? null
            : [
                'Last failure',
                <>
                  <RelativeTime at={lastFailure} />: {FAILURES[lastFailureCode ?? ''] ?? lastFailureCode}
                </>,
              ],
        ]}
      />
    </>
  );
}

function latencyText({ p50, p95, count }: NonNullable<Engine['latencyMs']>): string {
  return count === 1 ? `${p50} ms, of one request` : `p50 ${p50} ms, p95 ${p95} ms, of ${count} requests`;
}
