import { Button, Card, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { DownloadIcon } from 'lucide-react';
import { useSearchParams } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { AgentSelect } from '../../components/agent-select.tsx';
import { DayInput } from '../../components/day-input.tsx';
import { DecimalInput } from '../../components/decimal-input.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { Page } from '../../components/page.tsx';
import { Section, Toolbar } from '../../components/layout.tsx';
import { download } from '../../components/download.ts';
import { apiDurationMs, durationText } from '../../components/time-format.ts';
import { useNow } from '../../components/time.tsx';
import { BarChart } from './bar-chart.tsx';
import {
  agentTotals,
  amountText,
  costText,
  countsOf,
  shareText,
  usageCsv,
  usageDays,
  type DayUsage,
} from './usage-days.ts';
import { daysIn, rangeFrom, rangeToParams, SPANS, type Span, type UsageRange } from './usage-range.ts';
import { AgentsTable, DaysTable, EndReasonsTable } from './usage-tables.tsx';
import classes from './usage.module.css';
import { useUsage } from './use-usage.ts';

const MS_PER_MINUTE = 60_000;
const spanOptions = [
  ...Object.entries(SPANS).map(([value, label]) => ({ value, label })),
  { value: 'custom', label: 'Custom (UTC)' },
];

export function Component() {
  const [params, setParams] = useSearchParams();
  const range = rangeFrom(params, useNow(MS_PER_MINUTE));
  const agentId = params.get('agentId') ?? '';
  const show = (next: UsageRange, agent: string): void =>
    setParams({ ...rangeToParams(next), ...(agent !== '' && { agentId: agent }) }, { replace: true });
  const { calls, quality, agents, concurrency } = useUsage(range, agentId);
  const [price, setPrice] = useLocalStorage<number | ''>({ key: 'calls.price-per-minute', defaultValue: '' });
  const queries = [calls, quality, agents, concurrency];
  const error = queries.find((query) => query.error !== null)?.error;
  const hasCalls = calls.data !== undefined && calls.data.allTime.totalCount > 0;
  const days = calls.data && usageDays(calls.data, daysIn(range));
  return (
    <Page title="Usage">
      <Toolbar>
        <SegmentedControl
          aria-label="Range"
          data={spanOptions}
          value={range.span}
          onChange={(span) => show({ ...range, span: span as Span }, agentId)}
        />
        {range.span === 'custom' && <DayInputs range={range} onChange={(next) => show(next, agentId)} />}
        <AgentSelect
          label="Any agent"
          value={agentId}
          onChange={(agent) => show(range, agent)}
          w={{ base: '100%', xs: 210 }}
        />
        <DecimalInput
          aria-label="Your price per billed minute"
          placeholder="Price per minute"
          value={price === '' ? undefined : price}
          onChange={(changed) => setPrice(changed ?? '')}
          min={0}
          decimalScale={4}
          hideControls
          w={{ base: '100%', xs: 150 }}
        />
        <Button
          variant="default"
          leftSection={<DownloadIcon size={16} />}
          disabled={!days}
          onClick={() =>
            days && download('usage.csv', 'text/csv', usageCsv(days, price === '' ? null : price))
          }
          ml={{ base: 0, md: 'auto' }}
        >
          Export CSV
        </Button>
      </Toolbar>
      <Stack>
        {error && (
          <ErrorState
            error={error}
            onRetry={() => void Promise.all(queries.map((query) => query.refetch()))}
          />
        )}
        {calls.data && days ? (
          <Usage
            usage={calls.data}
            quality={quality.data}
            price={price === '' ? null : price}
            days={days}
            isStale={calls.isPlaceholderData}
            atOnce={agentId === '' ? atOnceByDay(concurrency.data?.timeSeries ?? []) : null}
          />
        ) : (
          !error && <Loading />
        )}
        {agents.data && hasCalls && <AgentsTable agents={agentTotals(agents.data)} range={range} />}
        {quality.data && quality.data.endReasons.length > 0 && (
          <EndReasonsTable reasons={quality.data.endReasons} range={range} agentId={agentId} />
        )}
        {days && hasCalls && <DaysTable days={days} />}
      </Stack>
    </Page>
  );
}

function Usage(props: {
  usage: Schemas['CallUsage'];
  /** Undefined until it is loaded. */
  quality: Schemas['CallQuality'] | undefined;
  /** Per billed minute; null if the user has set none. */
  price: number | null;
  days: readonly DayUsage[];
  isStale: boolean;
  /** Null for a single agent, because the API has no concurrency of agents. */
  atOnce: ReadonlyMap<string, number> | null;
}) {
  const { usage, quality, price, days, isStale, atOnce } = props;
  const total = countsOf(usage.allTime);
  if (total.calls === 0) {
    return (
      <Card padding="xl">
        <EmptyState title="No calls in this period" />
      </Card>
    );
  }
  const names = days.map(({ day }) => day);
  const chart = { days: names, isCount: true };
  const most = atOnce ? Math.max(0, ...atOnce.values()) : null;
  const meanMs = total.joined === 0 ? 0 : (total.minutes / total.joined) * MS_PER_MINUTE;
  return (
    <Stack className={isStale ? classes.stale : undefined}>
      <Card>
        <dl className={classes.figures}>
          <Figure name="Calls" value={amountText(total.calls)} />
          <Figure
            name="Joined"
            value={amountText(total.joined)}
            note={shareText(total.joined, total.calls)}
          />
          <Figure
            name="Failed"
            value={amountText(total.failed)}
            note={shareText(total.failed, total.calls)}
          />
          <Figure name="Minutes" value={amountText(total.minutes)} />
          <Figure name="Billed minutes" value={amountText(total.billedMinutes)} />
          {price !== null && <Figure name="Cost" value={costText(total.billedMinutes, price)} />}
          <Figure name="Mean duration" value={durationText(meanMs)} />
          {most !== null && <Figure name="Peak concurrency" value={amountText(most)} />}
          <Figure name="Response latency, median" value={latencyText(quality, 'p50')} />
          <Figure
            name="Response latency, p95"
            value={latencyText(quality, 'p95')}
            note={turnsText(quality)}
          />
        </dl>
      </Card>
      <div className={classes.charts}>
        <Section title="Calls">
          <BarChart
            {...chart}
            label="Calls by day"
            series={[
              { name: 'Joined', tone: 'main', values: days.map(({ joined }) => joined) },
              { name: 'Not joined', tone: 'faint', values: days.map(({ unjoined }) => unjoined) },
            ]}
          />
        </Section>
        <Section title="Minutes">
          <BarChart
            {...chart}
            isCount={false}
            label="Minutes by day"
            series={[{ name: 'Minutes', tone: 'second', values: days.map(({ minutes }) => minutes) }]}
          />
        </Section>
        <Section title="Failed">
          <BarChart
            {...chart}
            label="Failed calls by day"
            series={[
              {
                name: 'Ended by a connection or system error',
                tone: 'bad',
                values: days.map(({ failed }) => failed),
              },
            ]}
          />
        </Section>
        {atOnce && (
          <Section title="Concurrency">
            <BarChart
              {...chart}
              label="Maximum joined calls at the same time, by day"
              series={[
                {
                  name: 'Maximum joined calls at the same time',
                  tone: 'main',
                  values: names.map((day) => atOnce.get(day) ?? 0),
                },
              ]}
            />
          </Section>
        )}
      </div>
    </Stack>
  );
}

function Figure({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b>{value}</b>
        {note !== undefined && (
          <Text span fz="sm" c="dimmed" ml={6}>
            {note}
          </Text>
        )}
      </dd>
    </div>
  );
}

function latencyText(quality: Schemas['CallQuality'] | undefined, name: 'p50' | 'p95'): string {
  const latency = quality?.turnLatency;
  return latency ? durationText(apiDurationMs(latency[name])) : '–';
}

function turnsText(quality: Schemas['CallQuality'] | undefined): string {
  const turns = quality?.turnLatency?.turns;
  return turns === undefined ? '' : `${amountText(turns)} ${turns === 1 ? 'turn' : 'turns'}`;
}

function DayInputs({ range, onChange }: { range: UsageRange; onChange: (range: UsageRange) => void }) {
  const change = (changed: Partial<UsageRange>): void => onChange({ ...range, ...changed });
  return (
    <>
      <DayInput label="From" value={range.fromDay} required onChange={(fromDay) => change({ fromDay })} />
      <DayInput label="To" value={range.toDay} required onChange={(toDay) => change({ toDay })} />
    </>
  );
}

function Loading() {
  return (
    <Stack aria-busy="true" aria-label="Loading">
      <Skeleton height={96} />
      <div className={classes.charts}>
        <Skeleton height={250} />
        <Skeleton height={250} />
      </div>
    </Stack>
  );
}

function atOnceByDay(buckets: readonly Schemas['ConcurrencyBucket'][]): ReadonlyMap<string, number> {
  return new Map(buckets.map(({ timestamp, maxJoinedCalls }) => [timestamp.slice(0, 10), maxJoinedCalls]));
}
