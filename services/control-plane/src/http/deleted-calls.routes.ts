import { getDeletedCall, listDeletedCalls } from '@calls/api-contract/operations/deleted-calls.operations';
import type { Database } from '@calls/store/store';
import { deletedCallsOf, findDeletedCall } from '@calls/store/tables/deleted-calls';
import { tombstoneView } from '../calls/tombstone-view.ts';
import type { ApiRouter } from './api-router.ts';
import { usableFilters } from './call-filters.ts';
import { orNotFound } from '../problems/problem.ts';

export function deletedCallRoutes(api: ApiRouter, { db }: { db: Database }): void {
  api
    .list(listDeletedCalls, ({ accountId, query }) => ({
      source: deletedCallsOf(db, accountId, usableFilters(query)),
      item: tombstoneView,
    }))
    .on(getDeletedCall, async ({ accountId, params }) =>
      tombstoneView(orNotFound('deleted call', await findDeletedCall(db, accountId, params.call_id))),
    );
}
