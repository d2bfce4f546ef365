import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@calls/foundation/ids';
import { openDataDirectory } from '@calls/local-stack/data-directory/data-directory';
import { silentReporter } from '@calls/local-stack/reporter';
import { startServer } from '@calls/local-stack/servers/start-servers';
import { migrate } from '@calls/store/migrate';
import { CompiledQuery } from 'kysely';
import { copyClusterTemplate } from './cluster-template.ts';
import { openTestStore } from './test-store.ts';

/** Environment variable with the URL of the shared PostgreSQL server, for test processes. */
const SERVER_URL = 'CALLS_TEST_POSTGRES_URL';
const MIGRATED = 'migrated';

/** Starts one PostgreSQL server for all test files of a run, with a migrated template database. */
export async function startSharedPostgres(): Promise<AsyncDisposable> {
  const directory = openDataDirectory(await mkdtemp(join(tmpdir(), 'calls-postgres-')));
  await copyClusterTemplate(directory.root);
  const { url, process: server } = await startServer('postgresql', {
    directory,
    reporter: silentReporter,
    restart: 'never',
    signal: new AbortController().signal,
    onGivenUp: () => undefined,
  });
  process.env[SERVER_URL] = url;
  await execute(url, `create database ${MIGRATED}`);
  const store = openTestStore(urlOf(url, MIGRATED));
  await migrate(store.db);
  await store[Symbol.asyncDispose]();
  return {
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(directory.root, { recursive: true, force: true });
    },
  };
}

/** Whether this process belongs to a test run with a shared server. */
export function hasSharedPostgres(): boolean {
  return process.env[SERVER_URL] !== undefined;
}

/**
 * Creates a database on the shared server, migrated unless `empty`, and returns its URL. It is deleted with the server.
 */
export async function createDatabase({ empty = false } = {}): Promise<string> {
  const server = process.env[SERVER_URL];
  if (server === undefined) throw new Error(`${SERVER_URL} is not set: run tests with npm test`);
  const name = `test_${newId().replaceAll('-', '')}`;
  await execute(server, `create database ${name} template ${empty ? 'template0' : MIGRATED}`);
  return urlOf(server, name);
}

async function execute(url: string, statement: string): Promise<void> {
  await using store = openTestStore(url);
  await store.db.executeQuery(CompiledQuery.raw(statement));
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = database;
  return url.href;
}
