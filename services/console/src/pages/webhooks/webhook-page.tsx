import { ActionIcon, Button, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { EyeIcon, EyeOffIcon, SendIcon } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { Changes } from '../../components/changes.tsx';
import { Copyable, CopyText } from '../../components/copyable.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { EditButton } from '../../components/edit-button.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemText } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookFormDrawer } from './webhook-form.tsx';
import { WebhookHealth, WebhookScope } from './webhook-cells.tsx';
import classes from './webhook-page.module.css';

const BACK = { to: '/webhooks', label: 'Webhooks' };

export function Component() {
  const { webhookId = '' } = useParams();
  const webhook = useQuery({
    queryKey: ['webhook', webhookId],
    queryFn: () =>
      dataOf(api.GET('/api/webhooks/{webhook_id}', { params: { path: { webhook_id: webhookId } } })),
    refetchInterval: SLOW_REFRESH_MS,
  });
  return (
    <LoadedPage title="Webhook" back={BACK} query={webhook}>
      {(loaded) => <WebhookView webhook={loaded} />}
    </LoadedPage>
  );
}

function WebhookView({ webhook }: { webhook: Schemas['Webhook'] }) {
  const { webhookId, url } = webhook;
  // The secrets of a new webhook, which the API returns only once.
  const { secrets = [] } = (useLocation().state ?? {}) as { secrets?: string[] };
  const [isEditing, setEditing] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <Page
      title={`Webhook ${hostOf(url)}`}
      heading={hostOf(url)}
      aside={<WebhookHealth webhook={webhook} />}
      back={BACK}
      actions={
        <>
          <SendTest webhookId={webhookId} />
          <EditButton onClick={() => setEditing(true)} />
          <DeleteButton
            what="webhook"
            title="Delete this webhook?"
            onConfirm={() =>
              dataOf(
                api.DELETE('/api/webhooks/{webhook_id}', { params: { path: { webhook_id: webhookId } } }),
              )
            }
            onDone={() => {
              void queries.invalidateQueries({ queryKey: ['webhooks'] });
              void navigate('/webhooks');
            }}
          >
            <Text inherit style={{ overflowWrap: 'anywhere' }}>
              No more events are sent to {url}. Pending deliveries are deleted.
            </Text>
          </DeleteButton>
        </>
      }
    >
      <Stack gap="lg">
        <Section title="Settings">
          <Facts
            facts={[
              ['URL', <span className="mono">{url}</span>],
              ['Calls', <WebhookScope agentId={webhook.agentId} />],
              ['Events', <span className="mono">{webhook.events.join(', ')}</span>],
              secrets.length === 0
                ? null
                : [
                    'Secret, shown once',
                    secrets.map((secret, index) => (
                      <Secret key={secret} text={secret} label={`secret ${index + 1}`} />
                    )),
                  ],
              ['Id', <Copyable text={webhookId} what="webhook id" />],
              ['Added', <RelativeTime at={webhook.created} />],
              webhook.lastStatusChange === null
                ? null
                : [
                    webhook.status === 'unhealthy' ? 'Unhealthy since' : 'Healthy since',
                    <RelativeTime at={webhook.lastStatusChange} />,
                  ],
            ]}
          />
        </Section>
        {webhook.recentFailures.length > 0 && <RecentFailures failures={webhook.recentFailures} />}
        <Deliveries webhookId={webhookId} />
      </Stack>
      <WebhookFormDrawer opened={isEditing} onClose={() => setEditing(false)} webhook={webhook} />
    </Page>
  );
}

/** Sends a test event. The list of deliveries shows its outcome. */
function SendTest({ webhookId }: { webhookId: string }) {
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/webhooks/{webhook_id}/test', { params: { path: { webhook_id: webhookId } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['deliveries', webhookId] }),
  });
  return (
    <>
      <ProblemText error={test.error} />
      <Changes>
        <Button
          variant="default"
          leftSection={<SendIcon size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Send test
        </Button>
      </Changes>
    </>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** The last ten failures, newest first. */
function RecentFailures({ failures }: { failures: readonly Schemas['WebhookFailure'][] }) {
  return (
    <Section title="Recent failures" description="Five failed deliveries in a row make a webhook unhealthy.">
      <ul className={classes.failures}>
        {failures.toReversed().map(({ timestamp, failure }, index) => (
          <li key={`${timestamp} ${index}`}>
            <Text component="span" c="dimmed">
              <RelativeTime at={timestamp} />
            </Text>
            <span>{failure}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Hidden behind dots until revealed. */
function Secret({ text, label }: { text: string; label: string }) {
  const [isShown, setShown] = useState(false);
  const action = isShown ? `Hide ${label}` : `Show ${label}`;
  return (
    <Group gap={4} wrap="nowrap" align="center">
      <Text component="span" className="mono" inherit style={{ overflowWrap: 'anywhere' }}>
        {isShown ? text : '•'.repeat(16)}
      </Text>
      <Tooltip label={isShown ? 'Hide' : 'Show'}>
        <ActionIcon size="sm" aria-label={action} onClick={() => setShown(!isShown)}>
          {isShown ? <EyeOffIcon size={15} /> : <EyeIcon size={15} />}
        </ActionIcon>
      </Tooltip>
      <CopyText text={text} label={`Copy ${label}`} />
    </Group>
  );
}
