import { afterAll, describe, expect, it } from '@jest/globals';
import { toError } from '@calls/foundation/errors';
import { newId } from '@calls/foundation/ids';
import { migrate } from '@calls/store/migrate';
import { findKeyHolder } from '@calls/store/tables/api-keys';
import { callsOf } from '@calls/store/tables/call-lists';
import { inCallMessagesOf, lastStageMessagesOf } from '@calls/store/tables/call-messages';
import { findCall } from '@calls/store/tables/calls';
import { CompiledQuery } from 'kysely';
import { ScratchServers } from '../support/scratch-servers.ts';
import { eventually } from '../support/eventually.ts';
import { openTestStore } from '../support/test-store.ts';

const servers = await ScratchServers.open();
const { url } = await servers.database({ empty: true });
const store = openTestStore(url, { poolSize: 2 });
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await servers.close();
});

const sql = async (text: string, ...parameters: unknown[]): Promise<void> => {
  await store.db.executeQuery(CompiledQuery.raw(text, parameters));
};

/** Rows as the first release wrote them. */
async function writeOldRows(): Promise<{ accountId: string; callIds: string[] }> {
  const accountId = newId();
  await sql(
    `insert into accounts (account_id, name, plan, features, created_at)
    values ($1, 'old', 'SCALE', '{}', '2026-01-01')`,
    accountId,
  );
  await sql(
    `insert into api_keys (key_id, account_id, name, prefix, hash, created_at)
    values ($1, $2, 'old', 'oldkey00', '\\x00', '2026-01-01')`,
    newId(),
    accountId,
  );
  const settings = {
    systemPrompt: 'You are kind.',
    temperature: 0,
    model: 'svc-v0.7',
    joinTimeout: '30s',
    maxDuration: '3600s',
    firstSpeakerSettings: { agent: {} },
    medium: { telephony1: { outgoing: { to: '+491701234567', from: '+4930123456' } } },
    metadata: { campaign: 'winter' },
    recordingEnabled: false,
    initialOutputMedium: 'MESSAGE_MEDIUM_VOICE',
  };
  const callIds = [newId(), newId()];
  for (const [index, callId] of callIds.entries()) {
    const stageId = newId();
    await sql(
      `insert into calls (call_id, account_id, created_at, expires_at, joined_at, ended_at, end_reason,
        billing_status, billed_duration_ms, summary, metadata, settings)
      values ($1, $2, $3, $3, $3, $3::timestamptz + interval '61 s', 'hangup', 'BILLING_STATUS_BILLED', 66000,
        'They spoke of winter.', $4, $5)`,
      callId,
      accountId,
      `2026-02-0${index + 1}T12:00:00Z`,
      settings.metadata,
      index === 0 ? { ...settings, initialMessages: [{ text: 'Hello.' }] } : settings,
    );
    await sql(
      `insert into call_stages (stage_id, call_id, stage_index, created_at) values ($1, $2, 0, now())`,
      stageId,
      callId,
    );
    await sql(
      `insert into call_messages (call_id, stage_id, message_index, seq, role, added_at, message)
      values ($1, $2, 0, 1, 'MESSAGE_ROLE_USER', now(), '{"text": "Hello."}')`,
      callId,
      stageId,
    );
  }
  return { accountId, callIds };
}

describe('migrations', () => {
  it('preserve existing data and apply nothing the second time', async () => {
    expect(await migrate(store.db, '0002-recordings')).toHaveLength(2);
    const { accountId, callIds } = await writeOldRows();
    const applied = await migrate(store.db);
    expect(applied.length).toBeGreaterThanOrEqual(10);
    expect(await migrate(store.db)).toEqual([]);

    expect(await findKeyHolder(store.db, 'oldkey00')).toMatchObject({ accountId, plan: 'SCALE' });
    const calls = callsOf(store.db, accountId);
    const rows = await calls.fetch({ from: null, direction: 'next', limit: 10 });
    expect(rows.map((row) => row.call_id)).toEqual([...callIds].reverse());
    expect(await calls.count()).toBe(2);
    expect(await callsOf(store.db, accountId, { search: '0170 1234567' }).count()).toBe(2);
    expect(await callsOf(store.db, accountId, { search: 'winter' }).count()).toBe(2);
    expect(await findCall(store.db, accountId, callIds[0]!)).toMatchObject({
      metadata: { campaign: 'winter' },
      billed_duration_ms: 66_000,
      agent_id: null,
      retention_policy: 'retain',
    });
    for (const callId of callIds) expect(await lastStageMessagesOf(store.db, callId).count()).toBe(1);
    // The only message of the first call is its initial message.
    const said = callIds.map((callId) => inCallMessagesOf(store.db, callId).count());
    expect(await Promise.all(said)).toEqual([0, 1]);
  });

  it('make calls findable by phone number while calls are created and end', async () => {
    const { url: ownUrl } = await servers.database({ empty: true });
    await using own = openTestStore(ownUrl, { poolSize: 3 });
    await migrate(own.db, '0047-test-run-holds-in-microseconds');
    const execute = async (text: string, ...parameters: unknown[]): Promise<void> => {
      await own.db.executeQuery(CompiledQuery.raw(text, parameters));
    };
    const accountId = newId();
    await execute(
      `insert into accounts (account_id, name, plan, features, created_at) values ($1, 'a', 'SCALE', '{}', now())`,
      accountId,
    );
    const insertCall = async (to: string, policy = 'retain'): Promise<string> => {
      const callId = newId();
      await execute(
        `insert into calls (call_id, account_id, created_at, expires_at, metadata, settings, retention_policy)
        values ($1, $2, now(), now() + interval '1 hour', '{}', $3, $4)`,
        callId,
        accountId,
        {
          maxDuration: '60s',
          recordingEnabled: false,
          medium: { telephony1: { outgoing: { to, from: '+4930123456' } } },
        },
        policy,
      );
      return callId;
    };
    const end = (callId: string) =>
      execute("update calls set ended_at = now(), end_reason = 'unjoined' where call_id = $1", callId);
    const found = (search: string) => callsOf(own.db, accountId, { search }).count();

    const ended = await insertCall('+491701111111');
    for (const callId of [ended, await insertCall('+491701111111', 'zdr')]) await end(callId);
    const live = await insertCall('+491702222222');
    const migrated = await own.db.transaction().execute(async (tx) => {
      await tx.executeQuery(
        CompiledQuery.raw('select from call_facts where call_id = $1 for update', [ended]),
      );
      const migrating = migrate(own.db);
      await eventually(async () => {
        const { rows } = await own.db.executeQuery(
          CompiledQuery.raw(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          ),
        );
        expect(rows).toHaveLength(1);
      });
      // Neither waits for the migration.
      await end(live);
      await end(await insertCall('+491703333333'));
      return { migrating };
    });
    expect(await migrated.migrating).toContain('0048-calls-by-phone-number');
    await insertCall('+491704444444');
    expect([await found('0170 1111111'), await found('0170 4444444')]).toEqual([1, 1]);
    // Calls that end during the migration are found after their next change.
    await execute('update calls set short_summary = null');
    expect([await found('0170 2222222'), await found('0170 3333333')]).toEqual([1, 1]);
    expect(await found('0170 1111111')).toBe(1);
  });

  it('report why an empty database cannot be used', async () => {
    const id = newId().replaceAll('-', '');
    const role = `role_${id}`;
    const latin = `latin_${id}`;
    const own = new URL((await servers.database({ empty: true })).url);
    const name = own.pathname.slice(1);
    const errorOf = async (database: string, as?: string): Promise<unknown> => {
      const url = new URL(own);
      url.pathname = database;
      if (as !== undefined) [url.username, url.password] = [as, as];
      await using opened = openTestStore(url.href, { poolSize: 1 });
      return await migrate(opened.db).then(
        () => 'migrated',
        (thrown: unknown) => toError(thrown).message,
      );
    };
    await sql(`create role ${role} login password '${role}'`);
    await sql(`create database ${latin} encoding 'LATIN1' locale 'C' template template0`);
    try {
      expect(await errorOf(name, role)).toMatch(
        /may not create tables; .*: GRANT CREATE ON SCHEMA public TO role_/u,
      );
      expect(await errorOf(latin)).toBe('the encoding of the database is LATIN1; create it with UTF8');
      await sql(`alter database ${name} set search_path = missing`);
      expect(await errorOf(name)).toMatch(/^no schema in the search_path of the role \w+ exists$/u);
      await sql(`alter database ${name} set default_transaction_read_only = on`);
      expect(await errorOf(name)).toBe('the database is read-only');
    } finally {
      await sql(`drop database ${latin}`);
      await sql(`drop role ${role}`);
    }
  });
});
