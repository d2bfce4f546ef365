import {
  getAgentUsage,
  getBillingUsage,
  getCallQuality,
  getCallUsage,
  getConcurrency,
} from '@calls/api-contract/operations/usage.operations';
import { MAX_MEASURED_CALLS } from '@calls/api-contract/rest/usage';
import type { Clock } from '@calls/foundation/clock';
import type { ReadReplicas } from '@calls/store/read-replicas';
import { endReasons, turnLatency } from '@calls/store/tables/call-quality';
import { callConcurrency } from '@calls/store/tables/call-concurrency';
import { agentUsage, billedByDay, callUsage } from '@calls/store/tables/call-usage';
import { concurrencyRange, dayRange, rangeOf } from '../usage/ranges.ts';
import { agentUsageView, billingUsageView, callQualityView, callUsageView } from '../usage/usage-view.ts';
import type { ApiRouter } from './api-router.ts';
import { usableFilters } from './paging.ts';
import { invalidRequest } from '../problems/problem.ts';

/** Bounds of a response: ten years of days, ninety days of hours. */
const LATEST = { maxDays: 3660, maxHours: 2160 };
const MAX_AGENT_DAYS = 50_000;

export function usageRoutes(
  api: ApiRouter,
  { readReplicas, clock }: { readReplicas: ReadReplicas; clock: Clock },
): void {
  api
    .on(getCallUsage, async ({ accountId, query }) => {
      const filters = usableFilters(query);
      return callUsageView(await readReplicas.report((db) => callUsage(db, accountId, filters, LATEST)));
    })
    .on(getCallQuality, async ({ accountId, query }) => {
      const filters = usableFilters(query);
      const [reasons, latency] = await Promise.all([
        readReplicas.report((db) => endReasons(db, accountId, filters)),
        readReplicas.report((db) => turnLatency(db, accountId, filters, MAX_MEASURED_CALLS)),
      ]);
      return callQualityView(reasons, latency);
    })
    .on(getAgentUsage, async ({ accountId, query }) => {
      const filters = usableFilters(query);
      const rows = await readReplicas.report((db) => agentUsage(db, accountId, filters, MAX_AGENT_DAYS + 1));
      if (rows.length > MAX_AGENT_DAYS) {
        const message = `must be later: the response would have more than ${MAX_AGENT_DAYS} agent days`;
        throw invalidRequest('query', [{ path: 'fromDate', message }]);
      }
      return agentUsageView(rows);
    })
    .on(getConcurrency, async ({ accountId, query }) => {
      const range = rangeOf(concurrencyRange(query, clock.wallMs()));
      if (range.startMs >= range.endMs) return { timeSeries: [] };
      const rows = await readReplicas.report((db) => callConcurrency(db, accountId, range));
      const timeSeries = rows.map((row) => ({
        timestamp: new Date(row.bucket_ms).toISOString(),
        maxTotalCalls: row.max_total,
        maxJoinedCalls: row.max_joined,
        avgTotalCalls: row.avg_total,
        avgJoinedCalls: row.avg_joined,
      }));
      return { timeSeries };
    })
    .on(getBillingUsage, async ({ accountId, query }) => {
      const range = rangeOf(dayRange(query, clock.wallMs()));
      return billingUsageView(await readReplicas.report((db) => billedByDay(db, accountId, range)));
    });
}
