import { Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../../api/client.ts';
import { KeyName } from '../../../components/key-name.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { TestStatus } from '../tests/test-status.tsx';
import { inWords } from './template-changes.ts';

type Revision = Schemas['AgentRevisionBasic'];

/** The time, author and changes of a version. */
export function VersionHead({
  revision,
  isFirst,
  run,
  source,
}: {
  revision: Revision;
  /** Whether no earlier version is stored. */
  isFirst: boolean;
  /** The newest test run of the version. */
  run: Schemas['TestRunSummary'] | undefined;
  /** The version that this one restored, if it is still stored. */
  source: Revision | undefined;
}) {
  const { created, published, createdBy, changedFields, restoredFrom } = revision;
  return (
    <Stack component="span" gap={2}>
      <Group component="span" gap="xs">
        <Text span fw={600}>
          <RelativeTime at={created} />
        </Text>
        {published && <StatusBadge tone="good">Current</StatusBadge>}
        {run && <TestStatus run={run} />}
        {createdBy && (
          <Text span fz="sm" c="dimmed">
            {createdBy.fromConsole ? 'in the console, by ' : 'by '}
            <KeyName prefix={createdBy.apiKeyPrefix} />
          </Text>
        )}
      </Group>
      <Text span fz="sm">
        {restoredFrom !== null && (
          <>
            Restored
            {source && (
              <>
                {' '}
                from <RelativeTime at={source.created} />
              </>
            )}
            {' · '}
          </>
        )}
        {isFirst ? 'The first version' : changedFields?.map(inWords).join(', ')}
      </Text>
    </Stack>
  );
}
