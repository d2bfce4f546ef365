import { distributionOf, type Distribution } from '../bench/distribution.ts';
import type { Delivery } from './callback-ledger.ts';
import type { CallerReport } from './caller-report.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { serviceOf, type Fault } from './faults.ts';
import type { StoredRows } from './stored-rows.ts';
import type { Violations } from './verdict.ts';

type Counts = Record<string, number>;

export interface ChaosReport {
  options: ChaosOptions;
  tookMs: number;
  /** Number of faults by `kind target`. */
  faults: Counts;
  calls: {
    /** Number of calls with a 201 response. */
    created: number;
    /** Number of calls in the rows, including those whose response was lost. */
    stored: number;
    planned: Counts;
    endReasons: Counts;
    billing: Counts;
    billedMinutes: number;
  };
  connections: {
    /** Number of connections lost during a call, by close code. */
    lost: Counts;
    /** Number of calls that lost their connection at least once. The next fields state how they continued. */
    callsHit: number;
    cameBack: number;
    endedBySystemError: number;
    endedByConnectionError: number;
    endedMeanwhile: number;
    /** Times from the loss to the next join and to the next agent output, by the kind of the worker's last fault. */
    back: Record<string, { joinedAfterMs: Distribution; agentAfterMs: Distribution }>;
  };
  talk: { said: number; answered: number };
  rows: { events: number; failovers: number; messages: number };
  callbacks: { due: number; delivered: number; attempts: number; repeated: number };
  api: Counts;
  violations: Violations;
  /** All faults with their times, and the reports of callers that lost connections. */
  details: { faults: readonly Fault[]; callersHit: readonly CallerReport[] };
}

export function reportOf(parts: {
  options: ChaosOptions;
  tookMs: number;
  faults: readonly Fault[];
  reports: readonly CallerReport[];
  rows: StoredRows;
  deliveries: readonly Delivery[];
  api: ReadonlyMap<string, number>;
  violations: Violations;
}): ChaosReport {
  const { reports, rows, deliveries } = parts;
  const calls = [...rows.calls.values()];
  const hit = reports.filter(({ breaks }) => breaks.length > 0);
  const breaks = hit.flatMap((report) => report.breaks);
  const endOf = (report: CallerReport): string | null => rows.calls.get(report.callId)?.endReason ?? null;
  const ended = (reason: string): number => hit.filter((report) => endOf(report) === reason).length;
  const [systemErrors, connectionErrors] = [ended('system_error'), ended('connection_error')];
  const cameBack = hit.filter((report) => report.breaks.every(({ backAfterMs }) => backAfterMs !== null));
  const acknowledged = deliveries.filter(({ isAcknowledged }) => isAcknowledged);
  const delivered = new Set(acknowledged.map(({ callId, event }) => `${callId} ${event}`)).size;
  const joined = calls.filter(({ joinedMs }) => joinedMs !== null).length;
  return {
    options: parts.options,
    tookMs: Math.round(parts.tookMs),
    faults: countsOf(
      parts.faults.map(({ kind, targets }) => `${kind} ${targets.map(serviceOf).join(' + ')}`),
    ),
    calls: {
      created: reports.length,
      stored: calls.length,
      planned: countsOf(reports.map(({ plan }) => plan.intention)),
      endReasons: countsOf(calls.map(({ endReason }) => endReason ?? 'none')),
      billing: countsOf(calls.map(({ billingStatus }) => billingStatus.replace('BILLING_STATUS_', ''))),
      billedMinutes: calls.reduce((sum, { billedMs }) => sum + (billedMs ?? 0), 0) / 60_000,
    },
    connections: {
      lost: countsOf(breaks.map(({ code }) => String(code))),
      callsHit: hit.length,
      cameBack: cameBack.length,
      endedBySystemError: systemErrors,
      endedByConnectionError: connectionErrors,
      endedMeanwhile: hit.filter(({ end }) => end.kind === 'over').length,
      back: Object.fromEntries(
        [...Map.groupBy(breaks, ({ atMs }) => causeOf(atMs, parts.faults))].sort().map(([cause, all]) => [
          cause,
          {
            joinedAfterMs: distributionOf(all.flatMap(({ backAfterMs }) => backAfterMs ?? [])),
            agentAfterMs: distributionOf(all.flatMap(({ agentAfterMs }) => agentAfterMs ?? [])),
          },
        ]),
      ),
    },
    talk: {
      said: reports.reduce((sum, { said }) => sum + said.length, 0),
      answered: reports.reduce((sum, { answered }) => sum + answered.length, 0),
    },
    rows: {
      events: calls.reduce((sum, { log }) => sum + log.length, 0),
      failovers: calls.reduce(
        (sum, { log }) => sum + log.filter(({ type }) => type === 'taken_over').length,
        0,
      ),
      messages: calls.reduce((sum, { messages }) => sum + messages.length, 0),
    },
    callbacks: {
      due: calls.length * 2 + joined,
      delivered,
      attempts: deliveries.length,
      repeated: acknowledged.length - delivered,
    },
    api: Object.fromEntries([...parts.api].sort()),
    violations: parts.violations,
    details: { faults: parts.faults, callersHit: hit },
  };
}

const MAX_EXAMPLES = 5;

export function tableOf(report: ChaosReport): string {
  const { calls, connections, talk, rows, callbacks, options } = report;
  const spread = ({ p50, p95, max, count }: Distribution): string =>
    count === 0 ? 'none' : `p50 ${p50}   p95 ${p95}   max ${max}   (${count})`;
  const violations = Object.entries(report.violations).flatMap(([about, all]) => [
    row(`WRONG: ${about}`, String(all.length)),
    ...all.slice(0, MAX_EXAMPLES).map((text) => `    ${text}`),
  ]);
  return [
    `${options.calls} calls at a time, ${Math.round(report.tookMs / 1000)} s in all, seed ${options.seed}, ` +
      Object.entries(options.size)
        .map(([service, count]) => `${count} × ${service}`)
        .join(', '),
    '',
    row('faults', listed(report.faults)),
    row('calls', `${calls.created} created, ${calls.stored} in the rows; ${listed(calls.planned)}`),
    row('  ended', listed(calls.endReasons)),
    row('  billed', `${listed(calls.billing)}; ${Math.round(calls.billedMinutes * 10) / 10} minutes`),
    row('connections lost', `${listed(connections.lost)}; of ${connections.callsHit} calls`),
    row(
      '  their calls',
      `${connections.cameBack} reconnected each time, ${connections.endedBySystemError} ended system_error, ` +
        `${connections.endedByConnectionError} connection_error, ${connections.endedMeanwhile} were over meanwhile`,
    ),
    ...Object.entries(connections.back).flatMap(([cause, { joinedAfterMs, agentAfterMs }]) => [
      row(`  after ${cause}`, `joined again, ms: ${spread(joinedAfterMs)}`),
      row('', ` agent again, ms: ${spread(agentAfterMs)}`),
    ]),
    row('said', `${talk.said} texts, ${talk.answered} answered`),
    row('rows', `${rows.events} events, ${rows.failovers} of them failovers; ${rows.messages} messages`),
    row(
      'callbacks',
      `${callbacks.delivered} of ${callbacks.due} delivered, ${callbacks.attempts} attempts, ${callbacks.repeated} delivered again`,
    ),
    row('API responses', listed(report.api)),
    ...(violations.length === 0 ? [row('wrong', 'nothing')] : violations),
  ].join('\n');
}

/** Kind of the last fault of a media-worker before a connection was lost. */
function causeOf(lostMs: number, faults: readonly Fault[]): string {
  const isOfWorker = ({ targets }: Fault): boolean =>
    targets.some((target) => serviceOf(target) === 'media-worker');
  // A caller may notice the loss shortly before the fault is recorded.
  const last = faults.findLast((fault) => isOfWorker(fault) && fault.atMs - 100 <= lostMs);
  return last?.kind ?? 'nothing';
}

function countsOf(names: readonly string[]): Counts {
  const counts: Counts = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function listed(counts: Counts): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function row(name: string, text: string): string {
  return `${name.padEnd(20)} ${text}`;
}
