import {
  getAgentUsage,
  getBillingUsage,
  getCallUsage,
  getConcurrency,
} from '@calls/api-contract/operations/usage.operations';
import type { Clock } from '@calls/foundation/clock';
import type { Database } from '@calls/store/store';
import { callConcurrency } from '@calls/store/tables/call-concurrency';
import { agentUsage, billedByDay, callUsage } from '@calls/store/tables/call-usage';
import { concurrencyRange, dayRange, rangeOf } from '../usage/ranges.ts';
import { agentUsageView, billingUsageView, callUsageView } from '../usage/usage-view.ts';
import type { ApiRouter } from './api-router.ts';
import { usableFilters } from './paging.ts';
import { invalidRequest } from '../problems/problem.ts';

/** Bounds of a response: ten years of days, ninety days of hours. */
const LATEST = { maxDays: 3660, maxHours: 2160 };
const MAX_AGENT_DAYS = 50_000;

export function usageRoutes(api: ApiRouter, { db, clock }: { db: Database; clock: Clock }): void {
  api
    .on(getCallUsage, async ({ accountId, query }) =>
      callUsageView(await callUsage(db, accountId, usableFilters(query), LATEST)),
    )
    .on(getAgentUsage, async ({ accountId, query }) => {
      const rows = await agentUsage(db, accountId, usableFilters(query), MAX_AGENT_DAYS + 1);
      if (rows.length > MAX_AGENT_DAYS) {
        const message = `must be later: the response would have more than ${MAX_AGENT_DAYS} agent days`;
        throw invalidRequest('query', [{ path: 'fromDate', message }]);
      }
      return agentUsageView(rows);
    })
    .on(getConcurrency, async ({ accountId, query }) => {
      const range = rangeOf(concurrencyRange(query, clock.wallMs()));
      if (range.startMs >= range.endMs) return { timeSeries: [] };
      const rows = await callConcurrency(db, accountId, range);
      const timeSeries = rows.map((row) => ({
        timestamp: new Date(row.bucket_ms).toISOString(),
        maxTotalCalls: row.max_total,
        maxJoinedCalls: row.max_joined,
        avgTotalCalls: row.avg_total,
        avgJoinedCalls: row.avg_joined,
      }));
      return { timeSeries };
    })
    .on(getBillingUsage, async ({ accountId, query }) =>
      billingUsageView(await billedByDay(db, accountId, rangeOf(dayRange(query, clock.wallMs())))),
    );
}
