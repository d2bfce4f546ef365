import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { PlusIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { Changes } from '../../components/changes.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { WebhookFormDrawer } from './webhook-form.tsx';
import { WebhookHealth, WebhookScope } from './webhook-cells.tsx';

type Webhook = Schemas['Webhook'];

export function Component() {
  const [isAdding, setAdding] = useState(false);
  const navigate = useNavigate();
  const list = useList<Webhook>(
    ['webhooks'],
    (cursor) => dataOf(api.GET('/api/webhooks', { params: { query: cursor } })),
    { refreshMs: SLOW_REFRESH_MS },
  );
  const add = (
    <Changes>
      {' '}
      <Button leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
        Add webhook
      </Button>
    </Changes>
  );
  return (
    <Page
      title="Webhooks"
      description="Notify your service when calls start, are joined, end, are billed and analyzed."
      actions={add}
    >
      <ResourceTable
        caption="Webhooks"
        list={list}
        columns={COLUMNS}
        keyOf={({ webhookId }) => webhookId}
        linkOf={({ webhookId }) => `/webhooks/${webhookId}`}
        card={(webhook) => <WebhookCard webhook={webhook} />}
        empty={
          <EmptyState title="No webhooks yet" action={add}>
            Each delivery is signed, and retried up to ten times until it is acknowledged.
          </EmptyState>
        }
      />
      <WebhookFormDrawer
        opened={isAdding}
        onClose={() => setAdding(false)}
        onSaved={({ webhookId, secrets }) => void navigate(`/webhooks/${webhookId}`, { state: { secrets } })}
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Webhook>[] = [
  { key: 'url', header: 'URL', cell: ({ url }) => <UrlText url={url} /> },
  { key: 'calls', header: 'Calls', cell: ({ agentId }) => <WebhookScope agentId={agentId} /> },
  { key: 'events', header: 'Events', cell: ({ events }) => <EventNames events={events} /> },
  { key: 'status', header: 'Status', cell: (webhook) => <WebhookHealth webhook={webhook} /> },
  {
    key: 'failure',
    header: 'Last failure',
    cell: ({ recentFailures }) => {
      const last = recentFailures.at(-1);
      return last ? <RelativeTime at={last.timestamp} /> : <Text c="dimmed">None</Text>;
    },
  },
];

function WebhookCard({ webhook }: { webhook: Webhook }) {
  return (
    <>
      <UrlText url={webhook.url} />
      <Group gap="xs" mt={6}>
        <WebhookHealth webhook={webhook} />
        <WebhookScope agentId={webhook.agentId} />
      </Group>
      <Text c="dimmed" fz="sm" mt={6} component="div">
        <EventNames events={webhook.events} />
      </Text>
    </>
  );
}

function UrlText({ url }: { url: string }) {
  return (
    <Text
      component="span"
      className="mono"
      inherit
      display="block"
      maw="46ch"
      style={{ overflowWrap: 'anywhere' }}
    >
      {url}
    </Text>
  );
}

/** Names of events without their common prefix: `joined, ended`. */
function EventNames({ events }: { events: readonly string[] }) {
  return <>{events.map((event) => event.replace('call.', '')).join(', ')}</>;
}
