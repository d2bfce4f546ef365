import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { newId } from '@calls/foundation/ids';
import { migrate } from '@calls/store/migrate';
import { CompiledQuery } from 'kysely';
import { ScratchServers } from '../support/scratch-servers.ts';
import { openTestStore } from '../support/test-store.ts';

const run = promisify(execFile);
const GUIDE = join(import.meta.dirname, '../../docs/guides/back-up.md');
const EARLIER = '0031-transfer-legs';

const servers = await ScratchServers.open();
const folder = await mkdtemp(join(tmpdir(), 'back-up-'));
afterAll(async () => {
  await servers.close();
  await rm(folder, { recursive: true, force: true });
});

/** The PostgreSQL commands of a section of the guide. */
async function commandsOf(heading: string): Promise<string> {
  const section = (await readFile(GUIDE, 'utf8')).split('\n## ').find((text) => text.startsWith(heading));
  return [...(section ?? '').matchAll(/^ *((?:pg_dump|psql|pg_restore) .*)$/gmu)]
    .map(([, command]) => command)
    .join('\n');
}

const shell = (script: string, url: string) =>
  run('sh', ['-ec', script], { cwd: folder, env: { PATH: process.env['PATH'], DATABASE_URL: url } });

describe('the commands of the backup guide', () => {
  it('restore a backup of an earlier release over the database of this one', async () => {
    const { url } = await servers.database({ empty: true });
    const store = openTestStore(url);
    const insert = (name: string) =>
      store.db.executeQuery(
        CompiledQuery.raw(
          "insert into accounts (account_id, name, plan, features, created_at) values ($1, $2, 'PRO', '{}', now())",
          [newId(), name],
        ),
      );
    await migrate(store.db, EARLIER);
    await insert('before');
    await shell(await commandsOf('Back up'), url);
    const later = await migrate(store.db);
    await insert('after');

    await shell(await commandsOf('Restore'), url);

    const accounts = await store.db.selectFrom('accounts').select('name').execute();
    expect(accounts).toEqual([{ name: 'before' }]);
    expect(await migrate(store.db)).toEqual(later);
    await store[Symbol.asyncDispose]();
  });
});
