import { Alert, Button, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { PauseIcon, PlayIcon } from 'lucide-react';
import { dataOf, api } from '../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../api/queries.ts';
import { Changes } from '../../components/changes.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { ErrorState } from '../../components/states.tsx';
import { exactTime } from '../../components/time-format.ts';
import { RelativeTime } from '../../components/time.tsx';
import { BatchProgress, BatchState, type Batch } from './batch-state.tsx';
import { ExportResults } from './export-results.tsx';
import { ScheduledCalls } from './scheduled-calls.tsx';

export function Component() {
  const { agentId = '', batchId = '' } = useParams();
  const batch = useQuery({
    queryKey: ['batch', batchId],
    queryFn: () =>
      dataOf(
        api.GET('/api/agents/{agent_id}/scheduled_batches/{batch_id}', {
          params: { path: { agent_id: agentId, batch_id: batchId } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.endedAt == null ? LIVE_REFRESH_MS : false),
  });
  const back = { to: `/batches?agentId=${agentId}`, label: 'Batches' };
  return (
    <LoadedPage title="Batch" back={back} query={batch}>
      {(loaded) => <BatchView agentId={agentId} batch={loaded} back={back} />}
    </LoadedPage>
  );
}

function BatchView(props: { agentId: string; batch: Batch; back: { to: string; label: string } }) {
  const { agentId, batch, back } = props;
  const { batchId, created, windowStart, windowEnd, throttle, webhookUrl, paused, endedAt } = batch;
  // The API returns a generated secret only once.
  const { webhookSecret } = (useLocation().state ?? {}) as { webhookSecret?: string };
  const navigate = useNavigate();
  const queries = useQueryClient();
  const params = { path: { agent_id: agentId, batch_id: batchId } };
  const agent = useQuery({
    queryKey: ['agent', agentId],
    queryFn: () => dataOf(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: agentId } } })),
  });
  const pause = useMutation({
    mutationFn: () =>
      dataOf(
        api.PATCH('/api/agents/{agent_id}/scheduled_batches/{batch_id}', {
          params,
          body: { paused: paused !== true },
        }),
      ),
    onSuccess: (changed) => queries.setQueryData(['batch', batchId], changed),
  });
  const name = agent.data?.name || 'agent';
  return (
    <Page
      title={`Batch of ${name}`}
      aside={<BatchState batch={batch} />}
      back={back}
      actions={
        <>
          {endedAt === null && (
            <Changes>
              <Button
                variant="default"
                leftSection={paused === true ? <PlayIcon size={16} /> : <PauseIcon size={16} />}
                loading={pause.isPending}
                onClick={() => pause.mutate()}
              >
                {paused === true ? 'Resume' : 'Pause'}
              </Button>
            </Changes>
          )}
          <ExportResults agentId={agentId} batch={batch} />
          <DeleteButton
            what="batch"
            title="Delete this batch?"
            onConfirm={() =>
              dataOf(api.DELETE('/api/agents/{agent_id}/scheduled_batches/{batch_id}', { params }))
            }
            onDone={() => {
              void navigate(back.to);
              queries.removeQueries({ queryKey: ['batch', batchId] });
              void queries.invalidateQueries({ queryKey: ['batches'] });
            }}
          >
            Calls that are not created yet will not be made. Created calls are not deleted.
          </DeleteButton>
        </>
      }
    >
      <Stack gap="lg">
        {pause.error && <ErrorState error={pause.error} />}
        {webhookSecret !== undefined && (
          <Alert color="yellow" title="The secret that signs the webhook is shown only now">
            <Copyable text={webhookSecret} what="signing secret" />
          </Alert>
        )}
        <Section title="Progress">
          <Stack>
            <BatchProgress batch={batch} />
            <Facts
              facts={[
                [
                  'Agent',
                  <Link to={`/agents/${agentId}`} className="link">
                    {name}
                  </Link>,
                ],
                ['Starts', windowStart == null ? 'Immediately' : exactTime(Date.parse(windowStart))],
                ['Ends', windowEnd == null ? 'No limit' : exactTime(Date.parse(windowEnd))],
                ['Throttle', throttle ?? 'None'],
                webhookUrl == null ? null : ['Webhook', <span className="mono">{webhookUrl}</span>],
                ['Created', <RelativeTime at={created} />],
                endedAt === null ? null : ['Ended', <RelativeTime at={endedAt} />],
              ]}
            />
          </Stack>
        </Section>
        <ScheduledCalls agentId={agentId} batch={batch} />
      </Stack>
    </Page>
  );
}
