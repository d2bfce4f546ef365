import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDataDirectory } from '@calls/local-stack/data-directory/data-directory';
import { silentReporter } from '@calls/local-stack/reporter';
import { startServer } from '@calls/local-stack/servers/start-servers';

/** Names the data directory that holds the template, for this run of Jest and its workers. */
const TEMPLATE = 'CALLS_TEST_CLUSTER_TEMPLATE';
const PARTS = ['postgresql', 'secrets'];

/** A PostgreSQL cluster as the launcher makes one at its first start, never used, which doesn't wait for the disk. */
export async function makeClusterTemplate(): Promise<void> {
  const directory = openDataDirectory(await mkdtemp(join(tmpdir(), 'calls-template-')));
  process.env[TEMPLATE] = directory.root;
  const { process: server } = await startServer('postgresql', {
    directory,
    reporter: silentReporter,
    restart: 'never',
    signal: new AbortController().signal,
    onGivenUp: () => undefined,
  });
  await server[Symbol.asyncDispose]();
  // What is committed outlives the server's process all the same; the machine's end no test outlives either.
  await appendFile(join(directory.root, 'postgresql/postgresql.auto.conf'), 'fsync = off\n');
}

export async function removeClusterTemplate(): Promise<void> {
  const root = process.env[TEMPLATE];
  if (root !== undefined) await rm(root, { recursive: true, force: true });
}

/** Gives a new data directory a copy of the template, where there is one: a sixth of the time that a new cluster takes. */
export async function copyClusterTemplate(to: string): Promise<void> {
  const root = process.env[TEMPLATE];
  if (root === undefined || existsSync(join(to, 'postgresql'))) return;
  await promisify(execFile)('cp', ['-a', ...PARTS.map((part) => join(root, part)), to]);
}
