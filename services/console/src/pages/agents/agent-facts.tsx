import { Anchor, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { Copyable } from '../../components/copyable.tsx';
import { RelativeTime } from '../../components/time.tsx';

/** Calls, id, version and last change of an agent in one line. */
export function AgentFacts({ agent }: { agent: Schemas['Agent'] }) {
  const { agentId, publishedRevisionId, callTemplate, statistics } = agent;
  return (
    <Group component="span" gap="xs" fz="sm">
      <Anchor component={Link} to={`/calls?agentId=${agentId}`} className="link" inherit>
        {statistics.calls === 1 ? '1 call' : `${statistics.calls.toLocaleString()} calls`}
      </Anchor>
      <Fact name="Agent">
        <Copyable text={agentId} short what="agent id" />
      </Fact>
      {publishedRevisionId !== null && (
        <Fact name="Version">
          <Copyable text={publishedRevisionId} short what="version id" />
        </Fact>
      )}
      {callTemplate && (
        <Fact name="Changed">
          <RelativeTime at={callTemplate.updated} />
        </Fact>
      )}
    </Group>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group component="span" gap={4} wrap="nowrap">
      {name} {children}
    </Group>
  );
}
