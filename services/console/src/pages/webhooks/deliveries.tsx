import { Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { RotateCwIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { Changes } from '../../components/changes.tsx';
import { JsonView } from '../../components/copyable.tsx';
import { jsonOrText } from '../../components/json-text.ts';
import { SideDrawer } from '../../components/side-drawer.tsx';
import { EmptyState, ErrorState, ProblemText } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import classes from './deliveries.module.css';

type Delivery = Schemas['WebhookDelivery'];
type Status = Delivery['status'];

const STATUSES: Record<Status, { label: string; tone: Tone }> = {
  pending: { label: 'Pending', tone: 'warning' },
  delivered: { label: 'Delivered', tone: 'good' },
  dead: { label: 'Dead', tone: 'bad' },
};
const CHOICES = [
  { value: '', label: 'All' },
  ...Object.entries(STATUSES).map(([value, { label }]) => ({ value, label })),
];

function isStatus(value: string): value is Status {
  return value in STATUSES;
}

export function Deliveries({ webhookId }: { webhookId: string }) {
  const [status, setStatus] = useState<Status | ''>('');
  const list = useList<Delivery>(
    ['deliveries', webhookId, status],
    (cursor) =>
      dataOf(
        api.GET('/api/webhook_deliveries', {
          params: { query: { ...cursor, webhookId, ...(status !== '' && { status }) } },
        }),
      ),
    { refreshMs: LIVE_REFRESH_MS },
  );
  return (
    <section aria-labelledby="deliveries">
      <div className={classes.head}>
        <div>
          <h2 id="deliveries" className={classes.title}>
            Deliveries
          </h2>
          <Text c="dimmed" fz="sm">
            A delivery that fails is retried for about eight hours, then it is dead. Delivered ones are listed
            for one day, dead ones for 14 days.
          </Text>
        </div>
        <SegmentedControl
          aria-label="Which deliveries"
          size="xs"
          data={CHOICES}
          value={status}
          onChange={(value) => setStatus(isStatus(value) ? value : '')}
        />
      </div>
      <ResourceTable
        caption="Deliveries"
        list={list}
        columns={COLUMNS}
        keyOf={({ deliveryId }) => deliveryId}
        card={(delivery) => <DeliveryCard delivery={delivery} />}
        empty={
          <EmptyState title={status === '' ? 'Nothing was delivered yet' : 'None'}>
            {status === '' && 'Deliveries appear here after the next matching call event.'}
          </EmptyState>
        }
      />
    </section>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  { key: 'event', header: 'Event', cell: ({ event }) => <span className="mono">{event}</span> },
  { key: 'status', header: 'Status', cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
  { key: 'call', header: 'Call', cell: (delivery) => <CallLink delivery={delivery} /> },
  { key: 'created', header: 'Created', cell: ({ created }) => <RelativeTime at={created} /> },
  { key: 'attempts', header: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  { key: 'outcome', header: 'Result', cell: (delivery) => <Outcome delivery={delivery} /> },
  {
    key: 'actions',
    header: 'Actions',
    align: 'right',
    cell: (delivery) => <Actions delivery={delivery} />,
  },
];

function DeliveryCard({ delivery }: { delivery: Delivery }) {
  return (
    <Stack gap={6}>
      <div className={classes.line}>
        <span className="mono">{delivery.event}</span>
        <DeliveryStatus delivery={delivery} />
      </div>
      <div className={classes.line}>
        <CallLink delivery={delivery} />
        <Text component="span" c="dimmed" fz="sm">
          <RelativeTime at={delivery.created} />
        </Text>
      </div>
      <Outcome delivery={delivery} />
      <Actions delivery={delivery} />
    </Stack>
  );
}

function DeliveryStatus({ delivery }: { delivery: Delivery }) {
  const { label, tone } = STATUSES[delivery.status];
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}

function CallLink({ delivery: { callId } }: { delivery: Delivery }) {
  if (callId === null) return null;
  return (
    <Link to={`/calls/${callId}`} className="link">
      Call <span className="mono">{callId.slice(-8)}</span>
    </Link>
  );
}

function Outcome({ delivery: { status, finished, nextAttempt, lastFailure } }: { delivery: Delivery }) {
  return (
    <Text component="div" fz="sm" className={classes.outcome}>
      {lastFailure}
      <Text component="div" inherit c="dimmed">
        {status === 'pending' && nextAttempt !== null && (
          <>
            Next attempt: <RelativeTime at={nextAttempt} />
          </>
        )}
        {status !== 'pending' && finished !== null && (
          <>
            {status === 'delivered' ? 'Acknowledged' : 'Last attempt'} <RelativeTime at={finished} />
          </>
        )}
      </Text>
    </Text>
  );
}

function Actions({ delivery }: { delivery: Delivery }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Group gap={6} justify="flex-end">
      <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
        Payload
      </Button>
      <Redeliver delivery={delivery} />
      <SideDrawer opened={isOpen} onClose={() => setOpen(false)} title={`Payload of ${delivery.event}`}>
        <Payload deliveryId={delivery.deliveryId} />
      </SideDrawer>
    </Group>
  );
}

/** The content that is sent to the webhook. */
function Payload({ deliveryId }: { deliveryId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['delivery', deliveryId],
    queryFn: () =>
      dataOf(
        api.GET('/api/webhook_deliveries/{delivery_id}', { params: { path: { delivery_id: deliveryId } } }),
      ),
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={200} aria-busy="true" aria-label="Loading" />;
  if (data.payload !== null) return <JsonView value={jsonOrText(data.payload)} />;
  return <Text c="dimmed">The delivery was acknowledged, so its payload is no longer stored.</Text>;
}

/** A button for deliveries that were not acknowledged. */
function Redeliver({ delivery: { deliveryId, status } }: { delivery: Delivery }) {
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/webhook_deliveries/{delivery_id}/redeliver', {
          params: { path: { delivery_id: deliveryId } },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  if (status === 'delivered') return null;
  return (
    <>
      <Changes>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<RotateCwIcon size={14} />}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          {status === 'pending' ? 'Try now' : 'Redeliver'}
        </Button>
      </Changes>
      <ProblemText error={again.error} />
    </>
  );
}
