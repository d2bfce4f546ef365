import { Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { RelativeTime } from '../../components/time.tsx';
import type { Column } from '../../components/resource-table.tsx';
import { CallLength, CallStateBadge } from './call-cells.tsx';
import { billingText, callTitle, mediumText, stateOf } from './call-labels.ts';
import { HangUp } from './hang-up.tsx';
import { phoneNumbers } from './phone-numbers.ts';

type Call = Schemas['CallSummary'];

export const callColumns: readonly Column<Call>[] = [
  {
    key: 'call',
    header: 'Call',
    cell: (call) => (
      <>
        <Text span display="block" inherit truncate maw="24rem">
          {callTitle(call)}
        </Text>
        {call.shortSummary !== null && (
          <Text span display="block" fz="sm" c="dimmed" fw={400} truncate maw="24rem">
            {call.shortSummary}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'state',
    header: 'State',
    cell: (call) => (
      <Group gap={6} wrap="nowrap">
        <CallStateBadge call={call} />
        {stateOf(call) === 'live' && <HangUp callId={call.callId} compact />}
      </Group>
    ),
  },
  { key: 'started', header: 'Started', cell: ({ created }) => <RelativeTime at={created} /> },
  { key: 'length', header: 'Duration', align: 'right', cell: (call) => <CallLength call={call} /> },
  {
    key: 'medium',
    header: 'Medium',
    cell: (call) => {
      const { called } = phoneNumbers(call);
      return (
        <>
          {mediumText(call)}
          {called !== null && (
            <Text span display="block" fz="sm" c="dimmed" truncate maw="14rem">
              {called}
            </Text>
          )}
        </>
      );
    },
  },
  {
    key: 'billing',
    header: 'Billing',
    cell: (call) => (
      <Text span inherit c="dimmed">
        {billingText(call)}
      </Text>
    ),
  },
];

/** Shows a call as a card on narrow screens. */
export function CallCard({ call }: { call: Call }) {
  const { called } = phoneNumbers(call);
  return (
    <Stack component="span" gap={6}>
      <Group component="span" justify="space-between" wrap="nowrap" gap="xs">
        <Text span fw={550} truncate>
          {callTitle(call)}
        </Text>
        <CallStateBadge call={call} />
      </Group>
      {call.shortSummary !== null && (
        <Text span fz="sm" lineClamp={2}>
          {call.shortSummary}
        </Text>
      )}
      <Group component="span" gap="sm" fz="xs" c="dimmed">
        <RelativeTime at={call.created} />
        <CallLength call={call} />
        <span>{mediumText(call)}</span>
        {called !== null && <span>{called}</span>}
        <span>{billingText(call)}</span>
      </Group>
    </Stack>
  );
}
