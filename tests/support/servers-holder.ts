/**
 * A launcher that starts only the servers, in its own process so that a test can kill it.
 * `servers-holder.ts <data dir>` locks the directory, starts the servers, sends their pids (PostgreSQL, Redis, NATS) by IPC and waits. When it starts
 * again in the same directory, it first stops processes that its predecessor left, and sends their names too.
 */
import { openDataDirectory } from '@calls/local-stack/data-directory/data-directory';
import { lockDataDirectory } from '@calls/local-stack/data-directory/data-directory-lock';
import { stopLeftoverProcesses } from '@calls/local-stack/process/leftover-processes';
import { silentReporter } from '@calls/local-stack/reporter';
import { startServers } from '@calls/local-stack/servers/start-servers';

const directory = openDataDirectory(process.argv[2] ?? '');
await lockDataDirectory(directory.root);
const leftovers = await stopLeftoverProcesses(directory.run);
const servers = await startServers({
  directory,
  overrides: {},
  reporter: silentReporter,
  restart: 'never',
  signal: new AbortController().signal,
  onGivenUp: () => undefined,
});
const pids = (['postgresql', 'redis', 'nats'] as const).map((name) => servers.processes.get(name)?.pid);
process.send?.({ pids, leftovers, databaseUrl: servers.databaseUrl });
process.on('SIGTERM', () => {
  void servers[Symbol.asyncDispose]().then(() => process.exit(0));
});
