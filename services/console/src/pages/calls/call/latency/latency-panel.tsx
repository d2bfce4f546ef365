import { Card, Group, Stack, Table, Text } from '@mantine/core';
import { EmptyState } from '../../../../components/states.tsx';
import { clockText } from '../timeline/timeline-scale.ts';
import { PARTS, quantile, type LatencyRow, type Part } from './latency-rows.ts';
import classes from './latency.module.css';

const PART_NAMES: Readonly<Record<Part, string>> = {
  endOfTurn: 'End of turn',
  model: 'Model',
  speech: 'Speech',
  sending: 'Sending',
};

/** The latency of each turn and its parts. */
export function LatencyPanel({ rows }: { rows: readonly LatencyRow[] }) {
  if (rows.length === 0) {
    return (
      <Card>
        <EmptyState title="No answered turns">
          When the agent answers spoken turns by voice, the latency of each step is shown here.
        </EmptyState>
      </Card>
    );
  }
  const totals = rows.map(({ totalMs }) => totalMs);
  return (
    <Stack>
      <Card>
        <div className={classes.stats}>
          <Figure name="Voice to voice, median" ms={quantile(totals, 0.5)} />
          <Figure name="95 % within" ms={quantile(totals, 0.95)} />
          <Figure name="Slowest" ms={quantile(totals, 1)} />
          <Figure name="Model’s first token, median" ms={medianOf(rows, (row) => row.firstTokenMs)} />
        </div>
        <Text fz="sm" c="dimmed" mt="sm" maw="75ch">
          In milliseconds from the end of the user’s speech. Work that started before the end of the turn
          takes no additional time.
        </Text>
      </Card>
      <Card padding={0} className={classes.scroll} tabIndex={0} role="region" aria-label="Latency by turn">
        <Group gap="md" px="lg" pt="md" pb={4} visibleFrom="sm">
          {PARTS.map((part) => (
            <Group key={part} gap={6} fz="xs">
              <span className={classes.swatch} data-part={part} />
              {PART_NAMES[part]}
            </Group>
          ))}
        </Group>
        <LatencyTable rows={rows} longestMs={Math.max(...totals)} />
      </Card>
    </Stack>
  );
}

/** The only step that narrow screens show. */
const FIRST_TOKEN = 3;

function LatencyTable({ rows, longestMs }: { rows: readonly LatencyRow[]; longestMs: number }) {
  return (
    <Table horizontalSpacing="sm" verticalSpacing="xs" fz="sm" className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Turn</Table.Th>
          <Table.Th scope="col" ta="right" data-wide>
            Delay
          </Table.Th>
          <Table.Th scope="col" ta="right" data-wide>
            Speech-to-text
          </Table.Th>
          <Table.Th scope="col" ta="right" data-wide>
            End of turn
          </Table.Th>
          <Table.Th scope="col" ta="right">
            First token
          </Table.Th>
          <Table.Th scope="col" ta="right" data-wide>
            First speech
          </Table.Th>
          <Table.Th scope="col" ta="right">
            Voice to voice
          </Table.Th>
          <Table.Th scope="col" data-wide>
            Breakdown
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.key}>
            <Table.Th scope="row" fw={400}>
              <Text fz="xs" c="dimmed" className="numbers">
                {clockText(row.atMs)}
              </Text>
              <Text fz="sm" className={classes.words} truncate title={row.words ?? undefined}>
                {row.words ?? '–'}
              </Text>
            </Table.Th>
            {[row.endpointMs, row.transcriptMs, row.decidedMs, row.firstTokenMs, row.firstAudioMs].map(
              (ms, index) => (
                <Table.Td key={index} ta="right" data-wide={index !== FIRST_TOKEN}>
                  {ms ?? '–'}
                </Table.Td>
              ),
            )}
            <Table.Td ta="right" fw={600}>
              {row.totalMs}
            </Table.Td>
            <Table.Td data-wide>
              <Bar row={row} longestMs={longestMs} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Bar({ row, longestMs }: { row: LatencyRow; longestMs: number }) {
  const text = PARTS.map((part) => `${PART_NAMES[part]} ${row.parts[part]} ms`).join(', ');
  return (
    <div className={classes.bar} role="img" aria-label={text} title={text}>
      {PARTS.filter((part) => row.parts[part] > 0).map((part) => (
        <div
          key={part}
          className={classes.part}
          data-part={part}
          style={{ width: `${(row.parts[part] / longestMs) * 100}%` }}
        />
      ))}
    </div>
  );
}

function Figure({ name, ms }: { name: string; ms: number | null }) {
  return (
    <div>
      <Text fz="xs" c="dimmed">
        {name}
      </Text>
      <Text fz="xl" fw={620} className="numbers">
        {ms === null ? '–' : `${ms} ms`}
      </Text>
    </div>
  );
}

function medianOf(rows: readonly LatencyRow[], of: (row: LatencyRow) => number | null): number | null {
  return quantile(
    rows.map(of).filter((ms) => ms !== null),
    0.5,
  );
}
