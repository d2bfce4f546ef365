import {
  createCallThrottle,
  deleteCallThrottle as deleteOperation,
  getCallThrottle,
  listCallThrottles,
  replaceCallThrottle,
  updateCallThrottle as updateOperation,
} from '@calls/api-contract/operations/call-throttles.operations';
import type { CallThrottle, CallThrottleRule } from '@calls/api-contract/rest/call-throttle';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import {
  callThrottlesOf,
  deleteCallThrottle,
  findCallThrottle,
  insertCallThrottle,
  updateCallThrottle,
  type CallThrottleRow,
} from '@calls/store/tables/call-throttles';
import { orConflict, orNotFound } from '../problems/problem.ts';
import type { ApiRouter } from './api-router.ts';

const TAKEN = 'The name is used by another call throttle of the account.';

export function callThrottleRoutes(api: ApiRouter, { db, clock }: { db: Database; clock: Clock }): void {
  const change = async (
    accountId: string,
    throttleId: string,
    to: { name?: string; rules?: CallThrottleRule[] },
  ): Promise<CallThrottle> => {
    const row = await orConflict(TAKEN, updateCallThrottle(db, accountId, throttleId, to));
    return callThrottleView(orNotFound('call throttle', row));
  };

  api
    .list(listCallThrottles, ({ accountId }) => ({
      source: callThrottlesOf(db, accountId),
      item: callThrottleView,
    }))
    .on(createCallThrottle, async ({ accountId, body }) => {
      const { name, rules } = body;
      const row = insertCallThrottle(db, {
        throttle_id: newId(),
        account_id: accountId,
        name,
        rules,
        created_at: new Date(clock.wallMs()),
      });
      return callThrottleView(await orConflict(TAKEN, row));
    })
    .on(getCallThrottle, async ({ accountId, params }) =>
      callThrottleView(
        orNotFound('call throttle', await findCallThrottle(db, accountId, params.throttle_id)),
      ),
    )
    .on(replaceCallThrottle, ({ accountId, params, body }) => change(accountId, params.throttle_id, body))
    .on(updateOperation, ({ accountId, params, body }) => change(accountId, params.throttle_id, body))
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('call throttle', await deleteCallThrottle(db, accountId, params.throttle_id));
    });
}

function callThrottleView(row: CallThrottleRow): CallThrottle {
  return {
    throttleId: row.throttle_id,
    name: row.name,
    created: row.created_at.toISOString(),
    rules: row.rules,
  };
}
