import { afterAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BUILT_IN_TOOLS } from '@calls/call-lifecycle/creation/tools/built-in-tools';
import { newId } from '@calls/foundation/ids';
import { DEFAULT_QUERY_LIMIT_MS } from '@calls/foundation/shared-variables';
import { findKeyHolder, revokeApiKey } from '@calls/store/tables/api-keys';
import { insertTool, replacePublicTools } from '@calls/store/tables/tools';
import { CompiledQuery } from 'kysely';
import { eventually } from '../support/eventually.ts';
import { ScratchServers } from '../support/scratch-servers.ts';
import { openTestStore } from '../support/test-store.ts';

const run = promisify(execFile);
const ENTRY = join(import.meta.dirname, '../../services/control-plane/src/prepare-database.ts');

const servers = await ScratchServers.open();
const postgres = await servers.database({ empty: true });
const store = openTestStore(postgres.url, { poolSize: 2 });
const folder = await mkdtemp('/tmp/calls-prepare-');
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await servers.close();
  await rm(folder, { recursive: true, force: true });
});

async function prepare(
  keyFile: string,
): Promise<{ applied: string[]; voices: number; developmentKey: string }> {
  const env = { ...process.env, DATABASE_URL: postgres.url };
  const { stdout } = await run(process.execPath, [ENTRY, '--development-key-file', keyFile], { env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Awaited<ReturnType<typeof prepare>>;
}

describe('database setup', () => {
  it('logs why it failed, with the variable to check', async () => {
    const env = { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/calls' };
    const failed = await run(process.execPath, [ENTRY], { env }).catch((thrown: unknown) => thrown);
    const { code, stdout, stderr } = failed as { code: number; stdout: string; stderr: string };
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      msg: 'failed to prepare the database; process exits',
      err: { message: expect.stringMatching(/^DATABASE_URL: .*ECONNREFUSED/u) },
    });
  });

  it('applies migrations and built-in data once when two processes start concurrently', async () => {
    const file = join(folder, 'key');
    const both = await Promise.all([prepare(file), prepare(file)]);
    const { rows } = await store.db.executeQuery<{ name: string }>(
      CompiledQuery.raw('select name from kysely_migration order by name'),
    );
    expect(rows.length).toBeGreaterThan(25);
    expect(both.flatMap((each) => each.applied)).toEqual(rows.map(({ name }) => name));
    expect(both.map((each) => each.developmentKey).sort()).toEqual(['created', 'unchanged']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const key = (await readFile(file, 'utf8')).trim();
    expect(await findKeyHolder(store.db, key.slice(0, 8))).toMatchObject({
      plan: 'SCALE',
      features: ['sip', 'retentionPolicy', 'admissionPreference'],
    });
    const count = await store.db
      .selectFrom('voices')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    expect(count.total).toBe(both[0].voices);
    expect(count.total).toBeGreaterThan(1);
    const tools = await store.db.selectFrom('tools').select(['tool_id', 'name', 'account_id']).execute();
    expect(tools.map(({ tool_id: toolId }) => toolId).sort()).toEqual(
      BUILT_IN_TOOLS.map(({ toolId }) => toolId).sort(),
    );
    expect(tools.every(({ account_id: accountId }) => accountId === null)).toBe(true);
  });

  it('waits for another process that prepares the database for longer than queries of services may take', async () => {
    const lockId = '3853314791062309107';
    const { isDone } = await store.db.transaction().execute(async (tx) => {
      await tx.executeQuery(CompiledQuery.raw(`select pg_advisory_xact_lock(${lockId})`));
      const done = prepare(join(folder, 'waits'));
      done.catch(() => undefined);
      await eventually(async () => {
        const { rows } = await store.db.executeQuery(
          CompiledQuery.raw(
            `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
              and clock_timestamp() - query_start > make_interval(secs => $1)`,
            [(DEFAULT_QUERY_LIMIT_MS + 600) / 1000],
          ),
        );
        expect(rows).toHaveLength(1);
      }, 30_000);
      return { isDone: done };
    });
    expect(await isDone).toMatchObject({ applied: [] });
  });

  it('replaces public tools with those of this release and preserves account tools', async () => {
    await prepare(join(folder, 'tools'));
    const { account_id: accountId } = await store.db
      .selectFrom('accounts')
      .select('account_id')
      .executeTakeFirstOrThrow();
    const definition = { client: {} };
    await insertTool(store.db, {
      toolId: newId(),
      accountId,
      name: 'own',
      definition,
      createdAt: new Date(),
    });
    const retired = { toolId: newId(), name: 'retired', definition };
    const changed = { ...BUILT_IN_TOOLS[0]!, definition };
    await replacePublicTools(store.db, [retired, changed], new Date());
    await prepare(join(folder, 'tools'));
    const tools = await store.db.selectFrom('tools').select(['name', 'definition']).execute();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [...BUILT_IN_TOOLS.map(({ name }) => name), 'own'].sort(),
    );
    expect(tools.find(({ name }) => name === changed.name)!.definition).toEqual(
      BUILT_IN_TOOLS[0]!.definition,
    );
  });

  it('preserves a valid development key, makes its file private and replaces an invalid key', async () => {
    const file = join(folder, 'development-key');
    await prepare(file);
    const key = await readFile(file, 'utf8');
    await chmod(file, 0o644);
    expect(await prepare(file)).toMatchObject({ applied: [], developmentKey: 'unchanged' });
    expect(await readFile(file, 'utf8')).toBe(key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const holder = await findKeyHolder(store.db, key.slice(0, 8));
    await revokeApiKey(store.db, holder!.accountId, holder!.prefix, new Date());
    expect((await prepare(file)).developmentKey).toBe('created');
    await writeFile(file, 'nonsense');
    expect((await prepare(file)).developmentKey).toBe('created');
    expect(await readFile(file, 'utf8')).toMatch(/^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}\n$/);
  });
});
