import { Group, List, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../../api/client.ts';
import { Section } from '../../../components/layout.tsx';
import { StatusBadge, type Tone } from '../../../components/status-badge.tsx';
import { apiDurationMs, durationText } from '../../../components/time-format.ts';
import { RelativeTime } from '../../../components/time.tsx';

type Result = Schemas['TestResult'];

export const STATUSES: Readonly<Record<Result['status'], { label: string; tone: Tone }>> = {
  passed: { label: 'Passed', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  skipped: { label: 'Skipped', tone: 'neutral' },
  error: { label: 'Error', tone: 'bad' },
};
const SPEAKERS: Readonly<Record<Result['lines'][number]['who'], string>> = {
  caller: 'Caller',
  agent: 'Agent',
  'tool call': 'Tool call',
  'tool result': 'Tool result',
};

/** The results of a run, and what changed since the last run of an earlier version. */
export function RunResults({ run }: { run: Schemas['TestRun'] }) {
  const { ended, passed, scenarioCount, changes } = run;
  return (
    <Section
      title="Last run"
      description={
        <>
          <RelativeTime at={run.created} />, version <span className="mono">…{run.revisionId.slice(-8)}</span>
          {ended !== null && `: ${passed} of ${scenarioCount} passed`}
        </>
      }
    >
      <Stack aria-live="polite" aria-busy={ended === null}>
        {ended === null && <Text c="dimmed">The tests are running…</Text>}
        {changes.length > 0 && (
          <div>
            <Text fw={550}>Changed since the previous version</Text>
            <List size="sm">
              {changes.map(({ name, before, after }) => (
                <List.Item key={name}>
                  {name}: {before ?? 'new'} → {after ?? 'removed'}
                </List.Item>
              ))}
            </List>
          </div>
        )}
        {run.results.map((result) => (
          <TestResult key={result.name} result={result} />
        ))}
      </Stack>
    </Section>
  );
}

function TestResult({ result: { name, status, findings, duration, lines } }: { result: Result }) {
  const { label, tone } = STATUSES[status];
  return (
    <div>
      <Group gap="xs">
        <StatusBadge tone={tone}>{label}</StatusBadge>
        <Text span fw={550}>
          {name}
        </Text>
        {duration !== null && (
          <Text span c="dimmed" fz="sm">
            {durationText(apiDurationMs(duration))}
          </Text>
        )}
      </Group>
      {findings.length > 0 && (
        <List size="sm" mt={4}>
          {findings.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>
              {path !== '' && <span className="mono">{path}: </span>}
              {message}
            </List.Item>
          ))}
        </List>
      )}
      {lines.length > 0 && (
        <details open={status === 'failed'}>
          <summary>
            <Text span fz="sm" c="dimmed">
              Conversation
            </Text>
          </summary>
          <Stack component="ol" gap={4} m={0} mt={6} p={0} fz="sm" style={{ listStyle: 'none' }}>
            {lines.map(({ time, who, text, toolName }, index) => (
              <li key={index} style={{ overflowWrap: 'anywhere' }}>
                <Text span inherit c="dimmed">
                  {durationText(apiDurationMs(time))} {SPEAKERS[who]}
                  {toolName !== null && ` ${toolName}`}:
                </Text>{' '}
                {text}
              </li>
            ))}
          </Stack>
        </details>
      )}
    </div>
  );
}
