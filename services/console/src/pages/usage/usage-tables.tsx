import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { Section } from '../../components/layout.tsx';
import { END_REASONS } from '../calls/call-labels.ts';
import { dayText } from './bar-chart.tsx';
import { amountText, shareText, type AgentTotal, type DayUsage } from './usage-days.ts';
import { callsPath, type UsageRange } from './usage-range.ts';
import classes from './usage.module.css';

interface DayColumn {
  name: string;
  of: (day: DayUsage) => number;
  /** Hidden on narrow screens. */
  wideOnly: boolean;
}

const DAY_COLUMNS: readonly DayColumn[] = [
  { name: 'Calls', of: ({ calls }) => calls, wideOnly: false },
  { name: 'Joined', of: ({ joined }) => joined, wideOnly: true },
  { name: 'Not joined', of: ({ unjoined }) => unjoined, wideOnly: true },
  { name: 'Failed', of: ({ failed }) => failed, wideOnly: false },
  { name: 'Minutes', of: ({ minutes }) => minutes, wideOnly: false },
  { name: 'Billed minutes', of: ({ billedMinutes }) => billedMinutes, wideOnly: true },
];

/** The values of the charts as a table, without days without calls. */
export function DaysTable({ days }: { days: readonly DayUsage[] }) {
  const shown = days.filter(({ calls }) => calls > 0).toReversed();
  return (
    <Section title="By day" description="Days are in UTC." flush>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label="Usage by day">
        <Table horizontalSpacing="lg" stickyHeader className={classes.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Day</Table.Th>
              {DAY_COLUMNS.map(({ name, wideOnly }) => (
                <Table.Th key={name} scope="col" ta="right" data-wide={wideOnly}>
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((day) => (
              <Table.Tr key={day.day}>
                <Table.Th scope="row" fw={450} style={{ whiteSpace: 'nowrap' }}>
                  <time dateTime={day.day}>{dayText(day.day)}</time>
                </Table.Th>
                {DAY_COLUMNS.map(({ name, of, wideOnly }) => (
                  <Table.Td key={name} ta="right" data-wide={wideOnly}>
                    {amountText(of(day))}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Section>
  );
}

export function EndReasonsTable(props: {
  reasons: readonly Schemas['EndReasonCount'][];
  range: UsageRange;
  /** '' for all agents. */
  agentId: string;
}) {
  const { reasons, range, agentId } = props;
  const all = reasons.reduce((sum, { calls }) => sum + calls, 0);
  return (
    <Section title="How calls ended" flush>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label="Calls by end reason">
        <Table horizontalSpacing="lg" stickyHeader className={classes.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">End reason</Table.Th>
              <Table.Th scope="col" ta="right">
                Calls
              </Table.Th>
              <Table.Th scope="col" ta="right">
                Share
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {reasons.map(({ endReason, calls }) => (
              <Table.Tr key={endReason}>
                <Table.Th scope="row" fw={450}>
                  <Anchor
                    component={Link}
                    to={callsPath(range, { endReason, agentId })}
                    className="link"
                    inherit
                  >
                    {END_REASONS[endReason].words}
                  </Anchor>
                </Table.Th>
                <Table.Td ta="right">{amountText(calls)}</Table.Td>
                <Table.Td ta="right">{shareText(calls, all)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Section>
  );
}

export function AgentsTable({ agents, range }: { agents: readonly AgentTotal[]; range: UsageRange }) {
  const all = agents.reduce((sum, { calls }) => sum + calls, 0);
  return (
    <Section title="By agent" description="Calls without an agent are not included." flush>
      {agents.length === 0 ? (
        <Text c="dimmed" px="lg" pb="lg">
          No calls with an agent.
        </Text>
      ) : (
        <div className={classes.scroll} tabIndex={0} role="region" aria-label="Usage by agent">
          <Table horizontalSpacing="lg" stickyHeader className={classes.table}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Agent</Table.Th>
                <Table.Th scope="col" ta="right">
                  Calls
                </Table.Th>
                <Table.Th scope="col" ta="right" data-wide>
                  Share
                </Table.Th>
                <Table.Th scope="col" ta="right">
                  Billed minutes
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {agents.map(({ agentId, name, calls, billedMinutes }) => (
                <Table.Tr key={agentId}>
                  <Table.Th scope="row" fw={450}>
                    <Anchor component={Link} to={callsPath(range, { agentId })} className="link" inherit>
                      {name || 'Unnamed agent'}
                    </Anchor>
                  </Table.Th>
                  <Table.Td ta="right">{amountText(calls)}</Table.Td>
                  <Table.Td ta="right" data-wide>
                    {shareText(calls, all)}
                  </Table.Td>
                  <Table.Td ta="right">{amountText(billedMinutes)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Section>
  );
}
