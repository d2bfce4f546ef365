import { Button, Card, Code, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { EmptyState } from '../../../components/states.tsx';
import { JsonView } from '../../../components/copyable.tsx';
import { Details } from '../../../components/details.tsx';
import { StatusBadge, type Tone } from '../../../components/status-badge.tsx';
import { clockText } from './timeline/timeline-scale.ts';
import { eventMs } from './transcript/transcript-entries.ts';

type CallEvent = Schemas['CallEvent'];
type Severity = CallEvent['severity'];

const SEVERITIES: readonly Severity[] = ['debug', 'info', 'warning', 'error'];
const TONES: Readonly<Record<Severity, Tone>> = {
  debug: 'neutral',
  info: 'good',
  warning: 'warning',
  error: 'bad',
};
const LEAST = [
  { value: 'debug', label: 'All' },
  { value: 'info', label: 'Info' },
  { value: 'warning', label: 'Warnings' },
  { value: 'error', label: 'Errors' },
];

/** How many events a list shows at first. Rendering thousands takes seconds. */
const FIRST_EVENTS = 200;

/** Call events of at least the selected severity. Of a live call with many events, the latest are shown. */
export function EventsPanel({ events, isLive }: { events: readonly CallEvent[]; isLive: boolean }) {
  const [least, setLeast] = useState('debug');
  const [limit, setLimit] = useState(FIRST_EVENTS);
  const rank = (severity: string): number => SEVERITIES.findIndex((each) => each === severity);
  const shown = events.filter(({ severity }) => rank(severity) >= rank(least));
  const others = shown.length > limit && (
    <Group justify="center">
      <Button variant="default" onClick={() => setLimit(limit + FIRST_EVENTS)}>
        Show {Math.min(FIRST_EVENTS, shown.length - limit)} {isLive ? 'earlier' : 'more'}
      </Button>
      <Button variant="default" onClick={() => setLimit(Infinity)}>
        Show all {shown.length}
      </Button>
    </Group>
  );
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label="Minimum severity"
          data={LEAST}
          value={least}
          onChange={setLeast}
        />
        <Text fz="xs" c="dimmed" className="numbers" role="status">
          {shown.length} of {events.length}
        </Text>
      </Group>
      {isLive && others}
      <Card padding={0} style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Events">
        {shown.length === 0 ? (
          <EmptyState title="No events of this severity" />
        ) : (
          <Table horizontalSpacing="md" verticalSpacing="xs" fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Time</Table.Th>
                <Table.Th scope="col">Severity</Table.Th>
                <Table.Th scope="col">Event</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {(isLive ? shown.slice(-limit) : shown.slice(0, limit)).map((event, index) => (
                <EventRow key={index} event={event} />
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Card>
      {!isLive && others}
    </Stack>
  );
}

function EventRow({ event }: { event: CallEvent }) {
  const { severity, type, text, extras } = event;
  return (
    <Table.Tr>
      <Table.Td style={{ verticalAlign: 'top' }} c="dimmed">
        {clockText(eventMs(event), true)}
      </Table.Td>
      <Table.Td style={{ verticalAlign: 'top' }}>
        <StatusBadge tone={TONES[severity]}>{severity}</StatusBadge>
      </Table.Td>
      <Table.Td w="100%">
        <Text span className="mono" fw={550}>
          {type}
        </Text>
        {text !== '' && (
          <Text span display="block" fz="sm">
            {text}
          </Text>
        )}
        {extras !== null && Object.keys(extras).length > 0 && (
          <Details
            summary={
              <Text span fz="xs" c="dimmed">
                Details
              </Text>
            }
          >
            {(isOpen) =>
              typeof extras['message'] === 'string' ? (
                <Code block mah="16rem" style={{ overflow: 'auto' }}>
                  {extras['message']}
                </Code>
              ) : (
                <JsonView value={extras} maxHeight="16rem" hasCopy={isOpen} />
              )
            }
          </Details>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
