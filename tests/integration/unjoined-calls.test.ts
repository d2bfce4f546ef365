import { expect, it } from '@jest/globals';
import { CALL_SETTING_DEFAULTS } from '@calls/api-contract/rest/call-settings';
import { newId } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import { insertAccount } from '@calls/store/tables/accounts';
import { insertCalls, type NewCall } from '@calls/store/tables/new-call';
import { endUnjoinedCalls } from '@calls/store/tables/unjoined-calls';
import { sql } from 'kysely';
import { ScratchServers } from '../support/scratch-servers.ts';
import { openTestStore } from '../support/test-store.ts';

const LIVE = 500;
const ENDED = 3;

it('ending unjoined calls reads no other live calls', async () => {
  const servers = await ScratchServers.open();
  try {
    const { url } = await servers.database();
    await using store = openTestStore(url);
    const accountId = newId();
    const account = { accountId, name: 'test', plan: 'SCALE', features: [], createdAt: new Date() } as const;
    await insertAccount(store.db, { ...account, features: [] });
    const calls = Array.from({ length: LIVE }, () => liveCall(accountId));
    await insertCalls(store.db, calls);
    await sql`analyze calls`.execute(store.db);
    const ends = calls.slice(0, ENDED).map(({ callId }) => ({
      ...{ callId, seq: 1, at: new Date(), endReason: 'unjoined' as const },
      ...{
        inputTokens: 0,
        outputTokens: 0,
        billingStatus: 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION' as const,
      },
    }));
    await store.db.transaction().execute(async (tx) => {
      const before = await callsRead(tx);
      expect(await endUnjoinedCalls(tx, ends)).toEqual(ends.map(() => true));
      // Each is also read for its update, and for the key of its log entry.
      expect((await callsRead(tx)) - before).toBeLessThanOrEqual(3 * ENDED);
      expect(await endUnjoinedCalls(tx, ends)).toEqual(ends.map(() => false));
    });
  } finally {
    await servers.close();
  }
});

/** Grows within a transaction. */
async function callsRead(tx: Database): Promise<number> {
  const { rows } = await sql<{ calls: number }>`
    select seq_tup_read + idx_tup_fetch as calls from pg_stat_xact_user_tables where relname = 'calls'`.execute(
    tx,
  );
  return rows[0]?.calls ?? 0;
}

function liveCall(accountId: string): NewCall {
  return {
    ...{ callId: newId(), accountId, firstStageId: newId(), createdAt: new Date(), expiresAt: new Date() },
    ...{ voiceId: null, settings: CALL_SETTING_DEFAULTS, tools: [], notes: [], admissionClass: 'standard' },
    ...{ freeSecondsReserved: null, agent: null, requestContext: null, throttleId: null, priorCallId: null },
    ...{ scheduledBatchId: null, fromConsole: false, requestDigest: null, outbox: null },
  };
}
