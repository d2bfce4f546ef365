import { setTimeout as after } from 'node:timers/promises';
import type { CallUsage } from '@calls/api-contract/rest/usage';
import { connectBus } from '@calls/bus/connect-bus';
import { silentLogger } from '@calls/foundation/logger';
import { seededRandom } from '@calls/audio/noise';
import { callPlans } from './call-plan.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { startChaosStack, type ChaosStack } from './chaos-stack.ts';
import { checkCallbacks } from './checks/callbacks.ts';
import type { LoggedCall } from './checks/events.ts';
import { CallerPool } from './caller-pool.ts';
import { allUp, FaultInjector, processesOf } from './faults.ts';
import { readRows, type StoredRows } from './stored-rows.ts';
import { ResponseStatistics, RetryingApi } from './retrying-api.ts';
import { reportOf, type ChaosReport } from './report.ts';
import { judge } from './verdict.ts';

/** Time before the first fault, in which the first calls are joined. */
const SETTLE_MS = 4000;
/** Time limit for ending, billing and reporting every call after recovery. */
const CLOSE_LIMIT_MS = 120_000;
const POLL_MS = 500;

export async function runChaos(options: ChaosOptions, say: (line: string) => void): Promise<ChaosReport> {
  const random = seededRandom(options.seed);
  say('starting the system');
  await using chaos = await startChaosStack(options, random);
  const { stack, ledger } = chaos;
  const answers = new ResponseStatistics();
  const accounts = {
    paying: new RetryingApi(stack.apiUrl, stack.developmentKey, answers),
    free: new RetryingApi(stack.apiUrl, chaos.freeKey, answers),
  };
  const startedMs = performance.now();
  const elapsed = (): string => `${Math.round((performance.now() - startedMs) / 1000)} s`;
  const crowd = new CallerPool({
    size: options.calls,
    accounts,
    callbackUrl: ledger.url,
    plans: callPlans(random, options.talkMs),
    random,
  });
  const faults = new FaultInjector(stack, options);
  await after(SETTLE_MS);
  const isDone = (): boolean =>
    options.rounds === null
      ? performance.now() - startedMs >= options.durationMs
      : faults.roundsDone >= options.rounds;
  while (!isDone()) {
    const { kind, targets, backAfterMs } = await faults.next();
    say(
      `${elapsed()}: ${kind} ${targets.join(', ')}, up again after ${backAfterMs} ms; ${crowd.talking} callers`,
    );
    await after(options.calmMs);
  }
  say(`${elapsed()}: no more faults, no more calls; ${crowd.talking} callers are finishing`);
  await crowd.stop();
  await allUp(processesOf(stack));
  const rows = await settled(chaos, say);
  const logs = await readLogs(stack.servers.natsUrl, [...rows.calls.keys()]);
  const usages = await Promise.all(Object.values(accounts).map(usageOf));
  const evidence = {
    reports: crowd.reports,
    rows,
    logs,
    deliveries: ledger.deliveries,
    faults: faults.made,
    apiErrors: answers.errors,
    usage: {
      totalCount: usages.reduce((sum, { totalCount }) => sum + totalCount, 0),
      billedMinutes: usages.reduce((sum, { billedMinutes }) => sum + billedMinutes, 0),
    },
  };
  return reportOf({
    ...evidence,
    options,
    tookMs: performance.now() - startedMs,
    api: answers.byStatus,
    violations: judge(evidence),
  });
}

/** The rows once all calls are complete, or their state after CLOSE_LIMIT_MS. */
async function settled({ stack, ledger }: ChaosStack, say: (line: string) => void): Promise<StoredRows> {
  const untilMs = performance.now() + CLOSE_LIMIT_MS;
  for (;;) {
    const rows = await readRows(stack.servers.databaseUrl);
    const open = underWay(rows, ledger);
    if (open === null) return rows;
    if (performance.now() > untilMs) {
      say(`not settled: ${open}`);
      return rows;
    }
    await after(POLL_MS);
  }
}

function underWay(rows: StoredRows, ledger: ChaosStack['ledger']): string | null {
  const calls = [...rows.calls.values()];
  const live = calls.filter(
    ({ endedMs, log }) => endedMs === null || !log.some(({ type }) => type === 'ended'),
  );
  if (live.length > 0) return `${live.length} calls have not ended`;
  const gaps = calls.filter(({ log }) => log.at(-1)?.seq !== log.length);
  // Entries that a killed control-plane had received are delivered again later.
  if (gaps.length > 0) return `events of ${gaps.length} calls are missing`;
  if (rows.outbox > 0) return `${rows.outbox} outbox rows are not sent`;
  let missing = 0;
  checkCallbacks(rows.calls, ledger.deliveries, () => {
    missing += 1;
  });
  return missing > 0 ? `${missing} callbacks are missing` : null;
}

async function usageOf(api: RetryingApi): Promise<CallUsage['allTime']> {
  const response = await api.request('GET', '/api/accounts/me/usage/calls');
  if (response?.status !== 200) throw new Error('the API does not return the usage');
  return (response.body as CallUsage).allTime;
}

async function readLogs(natsUrl: string, callIds: readonly string[]): Promise<Map<string, LoggedCall>> {
  await using bus = await connectBus({ url: natsUrl, name: 'chaos', log: silentLogger });
  const logs = new Map<string, LoggedCall>();
  for (const callId of callIds) {
    const events = await bus.callLogs.read(callId);
    logs.set(
      callId,
      events.map(({ event: { seq, epoch, body } }) => ({ seq, epoch, type: body.type })),
    );
  }
  return logs;
}
