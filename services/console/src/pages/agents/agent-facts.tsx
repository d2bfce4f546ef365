import { Anchor, Card, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { Copyable } from '../../components/copyable.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import classes from './agents.module.css';

export function AgentFacts({ agent }: { agent: Schemas['Agent'] }) {
  const { agentId, publishedRevisionId, created, callTemplate, statistics } = agent;
  return (
    <Card padding="md">
      <Stack gap="sm">
        <dl className={classes.facts}>
          <dt>Calls</dt>
          <dd>
            <Anchor component={Link} to={`/calls?agentId=${agentId}`} className="link" inherit>
              {statistics.calls.toLocaleString()}
            </Anchor>
          </dd>
          <dt>Agent id</dt>
          <dd>
            <Copyable text={agentId} short what="agent id" />
          </dd>
          <dt>Revision</dt>
          <dd>
            {publishedRevisionId ? <Copyable text={publishedRevisionId} short what="revision id" /> : 'none'}
          </dd>
          <dt>Created</dt>
          <dd>
            <RelativeTime at={created} />
          </dd>
          {callTemplate && (
            <>
              <dt>Changed</dt>
              <dd>
                <RelativeTime at={callTemplate.updated} />
              </dd>
            </>
          )}
        </dl>
        <Text fz="xs" c="dimmed">
          Each change is a new revision. Calls keep the one that they began with.
        </Text>
      </Stack>
    </Card>
  );
}
