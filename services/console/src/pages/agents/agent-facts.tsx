import { Anchor, Card, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { Copyable } from '../../components/copyable.tsx';
import { Facts } from '../../components/layout.tsx';
import { RelativeTime } from '../../components/time.tsx';

export function AgentFacts({ agent }: { agent: Schemas['Agent'] }) {
  const { agentId, publishedRevisionId, created, callTemplate, statistics } = agent;
  return (
    <Card padding="md" fz="sm">
      <Stack gap="sm">
        <Facts
          facts={[
            [
              'Calls',
              <Anchor component={Link} to={`/calls?agentId=${agentId}`} className="link" inherit>
                {statistics.calls.toLocaleString()}
              </Anchor>,
            ],
            ['Agent id', <Copyable text={agentId} short what="agent id" />],
            [
              'Version',
              publishedRevisionId ? <Copyable text={publishedRevisionId} short what="version id" /> : 'none',
            ],
            ['Created', <RelativeTime at={created} />],
            callTemplate && ['Changed', <RelativeTime at={callTemplate.updated} />],
          ]}
        />
        <Text fz="xs" c="dimmed">
          Each change of the settings is a new{' '}
          <Anchor component={Link} to="?tab=versions" c="var(--calls-accent-text)" underline="always" inherit>
            version
          </Anchor>
          . Calls keep the one that they started with.
        </Text>
      </Stack>
    </Card>
  );
}
