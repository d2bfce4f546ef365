import { Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { useList } from '../../api/use-list.ts';
import { Copyable } from '../../components/copyable.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { apiDurationMs, durationText } from '../../components/time-format.ts';
import { RelativeTime } from '../../components/time.tsx';
import { BilledMinutes } from './billed-minutes.tsx';

type Invoice = Schemas['Invoice'];

export function Component() {
  const account = useQuery({
    queryKey: ['account'],
    queryFn: () => dataOf(api.GET('/api/accounts/me')),
  });
  const billing = useQuery({
    queryKey: ['account', 'billing'],
    queryFn: () => dataOf(api.GET('/api/accounts/me/billing')),
  });
  const error = account.error ?? billing.error;
  const retry = (): void => {
    void account.refetch();
    void billing.refetch();
  };
  return (
    <Page
      title="Account"
      description="The operator of this installation sets the name, the plan and the limits of an account."
    >
      {account.data && billing.data ? (
        <Stack gap="lg">
          <PlanSection account={account.data} />
          <BillingSection billing={billing.data} />
          <BilledMinutes />
        </Stack>
      ) : error ? (
        <ErrorState error={error} onRetry={retry} />
      ) : (
        <Skeleton height={420} radius="lg" />
      )}
    </Page>
  );
}

function PlanSection({ account }: { account: Schemas['Account'] }) {
  const { activeCalls, freeTimeUsed, freeTimeRemaining, subscriptionTier } = account;
  return (
    <Section title={account.name || 'Unnamed account'}>
      <Facts
        facts={[
          ['Account id', <Copyable text={account.accountId} what="account id" />],
          ['API', <Copyable text={account.billingUrl} what="API address" />],
          ['Plan', planText(subscriptionTier ?? 'FREE')],
          subscriptionTier === null
            ? ['Free time', `${timeText(freeTimeRemaining)} left, ${timeText(freeTimeUsed)} used`]
            : null,
          ['Live calls', `${activeCalls.toLocaleString()} (${limitText(account.allowedConcurrentCalls)})`],
          ['Own voices', limitText(account.allowedVoices)],
          ['Corpora', limitText(account.allowedCorpora)],
          [
            'Access',
            <Anchor component={Link} to="/keys" className="link" inherit>
              API keys and keys of voice providers
            </Anchor>,
          ],
        ]}
      />
    </Section>
  );
}

function BillingSection({ billing }: { billing: Schemas['AccountBillingInfo'] }) {
  const invoices = useList<Invoice>(['account', 'invoices'], (cursor) =>
    dataOf(api.GET('/api/accounts/me/billing/invoices', { params: { query: cursor } })),
  );
  return (
    <Section title="Billing" description="As the operator stored it. This service has no payment provider.">
      <Stack>
        <Facts
          facts={[
            ['Payment', billing.paymentMethod ?? 'Not stored'],
            ['Invoices go to', billing.billingEmail ?? 'Not stored'],
          ]}
        />
        <ResourceTable
          caption="Invoices"
          list={invoices}
          columns={INVOICE_COLUMNS}
          keyOf={({ invoiceNumber }) => invoiceNumber}
          empty={<EmptyState title="No invoices" />}
        />
      </Stack>
    </Section>
  );
}

const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
  {
    key: 'number',
    header: 'Invoice',
    cell: ({ invoiceNumber, invoiceUrl }) => (
      <Anchor href={invoiceUrl} target="_blank" rel="noreferrer" className="link" inherit>
        {invoiceNumber}
      </Anchor>
    ),
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ invoiceStatus }) => (
      <StatusBadge tone={invoiceStatus === 'paid' ? 'good' : 'warning'}>{invoiceStatus}</StatusBadge>
    ),
  },
  {
    key: 'amount',
    header: 'Amount (smallest unit)',
    align: 'right',
    cell: ({ amount }) => amount.toLocaleString(),
  },
  {
    key: 'date',
    header: 'Date',
    align: 'right',
    wideOnly: true,
    cell: ({ invoiceDate }) => <RelativeTime at={invoiceDate} />,
  },
];

function planText(tier: string): string {
  return tier.slice(0, 1) + tier.slice(1).toLowerCase();
}

function limitText(limit: number | null): string {
  return limit === null ? 'no limit' : `at most ${limit.toLocaleString()}`;
}

function timeText(duration: string): string {
  return durationText(apiDurationMs(duration));
}
