import { silentLogger } from '@calls/foundation/logger';
import { openStore, type Database } from '@calls/store/store';

/** The rows of one call. */
export interface StoredCall {
  callId: string;
  accountId: string;
  createdMs: number;
  joinedMs: number | null;
  endedMs: number | null;
  endReason: string | null;
  billingStatus: string;
  billedMs: number | null;
  /** Used free minutes of the account; null if it has none. */
  freeSecondsReserved: number | null;
  /** Ordered by `seq`. */
  log: { seq: number; type: string }[];
  /** Ordered by stage and index. */
  messages: { stageId: string; index: number; role: string; text: string }[];
}

export interface StoredRows {
  calls: Map<string, StoredCall>;
  /** Number of pending rows. */
  outbox: number;
  /** Used free minutes per account, in seconds. */
  freeSecondsUsed: Map<string, number>;
  /** The same values according to the usage and tombstone rows. */
  facts: { calls: number; ended: number; billedMs: number };
}

export async function readRows(databaseUrl: string): Promise<StoredRows> {
  await using store = openStore({
    url: databaseUrl,
    name: 'chaos',
    poolSize: 1,
    queryLimitMs: 60_000,
    log: silentLogger,
  });
  const { db } = store;
  const calls = await readCalls(db);
  await addLogs(db, calls);
  await addMessages(db, calls);
  const outbox = await db.selectFrom('outbox').select('outbox_id').execute();
  const accounts = await db.selectFrom('accounts').select(['account_id', 'free_seconds_used']).execute();
  const facts = await db
    .selectFrom('call_facts')
    .select(({ fn }) => [
      fn.countAll<number>().as('calls'),
      fn.count<number>('ended_at').as('ended'),
      fn.sum<number>('billed_duration_ms').as('billedMs'),
    ])
    .executeTakeFirstOrThrow();
  return {
    calls,
    outbox: outbox.length,
    freeSecondsUsed: new Map(accounts.map((row) => [row.account_id, row.free_seconds_used])),
    facts: {
      calls: facts.calls,
      ended: facts.ended,
      billedMs: facts.billedMs,
    },
  };
}

async function readCalls(db: Database): Promise<Map<string, StoredCall>> {
  const rows = await db
    .selectFrom('calls')
    .select([
      'call_id',
      'account_id',
      'created_at',
      'joined_at',
      'ended_at',
      'end_reason',
      'billing_status',
      'billed_duration_ms',
      'free_seconds_reserved',
    ])
    .orderBy('created_at')
    .execute();
  return new Map(
    rows.map((row) => [
      row.call_id,
      {
        callId: row.call_id,
        accountId: row.account_id,
        createdMs: row.created_at.getTime(),
        joinedMs: row.joined_at?.getTime() ?? null,
        endedMs: row.ended_at?.getTime() ?? null,
        endReason: row.end_reason,
        billingStatus: row.billing_status,
        billedMs: row.billed_duration_ms,
        freeSecondsReserved: row.free_seconds_reserved,
        log: [],
        messages: [],
      },
    ]),
  );
}

async function addLogs(db: Database, calls: ReadonlyMap<string, StoredCall>): Promise<void> {
  const rows = await db
    .selectFrom('call_event_log')
    .select(['call_id', 'seq', 'type'])
    .orderBy('call_id')
    .orderBy('seq')
    .execute();
  for (const { call_id, seq, type } of rows) calls.get(call_id)?.log.push({ seq, type });
}

async function addMessages(db: Database, calls: ReadonlyMap<string, StoredCall>): Promise<void> {
  const rows = await db
    .selectFrom('call_messages')
    .select(['call_id', 'stage_id', 'message_index', 'role', 'message'])
    .orderBy('call_id')
    .orderBy('stage_id')
    .orderBy('message_index')
    .execute();
  for (const { call_id, stage_id, message_index, role, message } of rows) {
    calls
      .get(call_id)
      ?.messages.push({ stageId: stage_id, index: message_index, role, text: message.text ?? '' });
  }
}
