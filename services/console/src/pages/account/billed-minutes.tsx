import { SegmentedControl, Skeleton, Stack, Table, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { Facts, Section } from '../../components/layout.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useNow } from '../../components/time.tsx';
import { dayText } from '../usage/bar-chart.tsx';
import { amountText } from '../usage/usage-days.ts';
import { monthOf } from './month.ts';

const MINUTE_MS = 60_000;
const MONTHS = [
  { value: '0', label: 'This month' },
  { value: '1', label: 'Last month' },
];

/** What is billed, by day. */
export function BilledMinutes() {
  const [monthsAgo, setMonthsAgo] = useState('0');
  const query = monthOf(new Date(useNow(MINUTE_MS)), Number(monthsAgo));
  const usage = useQuery({
    queryKey: ['account', 'billed minutes', query],
    queryFn: () => dataOf(api.GET('/api/accounts/me/billing/usage', { params: { query } })),
    placeholderData: keepPreviousData,
  });
  return (
    <Section
      title="Billed minutes"
      description="By the day of the call, in UTC. Includes deleted calls."
      actions={
        <SegmentedControl aria-label="Month" data={MONTHS} value={monthsAgo} onChange={setMonthsAgo} />
      }
    >
      {usage.data ? (
        <Days usage={usage.data} />
      ) : usage.error ? (
        <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />
      ) : (
        <Skeleton height={120} radius="lg" />
      )}
    </Section>
  );
}

function Days({ usage }: { usage: Schemas['UsageResponse'] }) {
  const days = usage.dailyUsage.filter(({ minutes, sipMinutes }) => minutes + sipMinutes > 0);
  return (
    <Stack>
      <Facts
        facts={[
          ['Calls', `${amountText(usage.totalMinutes)} min`],
          ['SIP', `${amountText(usage.totalSipMinutes)} min`],
        ]}
      />
      {days.length === 0 ? (
        <Text c="dimmed" fz="sm">
          Nothing is billed in this month.
        </Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Day</Table.Th>
              <Table.Th scope="col" ta="right">
                Minutes
              </Table.Th>
              <Table.Th scope="col" ta="right">
                SIP minutes
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {days.toReversed().map(({ date, minutes, sipMinutes }) => (
              <Table.Tr key={date}>
                <Table.Th scope="row" fw={450}>
                  <time dateTime={date}>{dayText(date)}</time>
                </Table.Th>
                <Table.Td ta="right">{amountText(minutes)}</Table.Td>
                <Table.Td ta="right">{amountText(sipMinutes)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
