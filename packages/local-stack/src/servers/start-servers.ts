import { join } from 'node:path';
import { systemClock } from '@calls/foundation';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { RotatingLog } from '../process/rotating-log.ts';
import { SupervisedProcess } from '../process/supervised-process.ts';
import type { RestartPolicy } from '../process/restart-policy.ts';
import type { Reporter } from '../reporter.ts';
import { launchServer, type ServerDefinition } from './launch-server.ts';
import { natsServer } from './nats.ts';
import { postgresqlServer } from './postgresql.ts';
import { redisServer } from './redis.ts';
import { describeServer, requireReachable } from './external-server.ts';

/** URLs of servers that run elsewhere: what is given here is used and not started. */
export interface ServerOverrides {
  readonly databaseUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
  readonly natsUrl?: string | undefined;
}

export interface Servers extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  /** The servers started here, by name (`postgresql`, `redis`, `nats`): for tests that kill and restart them. */
  readonly processes: ReadonlyMap<string, SupervisedProcess>;
}

export interface ServersOptions {
  readonly directory: DataDirectory;
  readonly overrides: ServerOverrides;
  readonly reporter: Reporter;
  readonly restart: RestartPolicy | 'never';
  readonly onGivenUp: (name: string) => void;
  /** Aborted when the stack is to stop: ends a start in progress. */
  readonly signal: AbortSignal;
}

const MAX_LOG_BYTES = 10_000_000;

/** Starts PostgreSQL, Redis and NATS at once and awaits all; when one fails, none is left behind. They stop in reverse. */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const processes = new Map<string, SupervisedProcess>();
  const { directory, overrides } = options;
  const one = (name: string, url: string | undefined, define: () => ServerDefinition): Promise<string> =>
    url === undefined ? startServer(define(), options, processes) : useExternal(name, url, options.reporter);
  const dispose = async (): Promise<void> => {
    for (const name of ['nats', 'redis', 'postgresql']) await processes.get(name)?.[Symbol.asyncDispose]();
  };

  const started = await Promise.allSettled([
    one('postgresql', overrides.databaseUrl, () => postgresqlServer(directory)),
    one('redis', overrides.redisUrl, () => redisServer(directory)),
    one('nats', overrides.natsUrl, () => natsServer(directory)),
  ]);
  const failed = started.find((result) => result.status === 'rejected');
  if (failed) {
    await dispose();
    throw failed.reason;
  }
  const [databaseUrl, redisUrl, natsUrl] = started.map((result) =>
    result.status === 'fulfilled' ? result.value : '',
  );
  return {
    databaseUrl: databaseUrl ?? '',
    redisUrl: redisUrl ?? '',
    natsUrl: natsUrl ?? '',
    processes,
    [Symbol.asyncDispose]: dispose,
  };
}

async function startServer(
  definition: ServerDefinition,
  options: ServersOptions,
  processes: Map<string, SupervisedProcess>,
): Promise<string> {
  const { name } = definition;
  const { reporter, directory } = options;
  const startedMs = systemClock.nowMs();
  await definition.prepare();
  const log = new RotatingLog(join(directory.logs, `${name}.log`), MAX_LOG_BYTES);
  let port: number | undefined;
  const supervised = new SupervisedProcess({
    name,
    restart: options.restart,
    reporter,
    signal: options.signal,
    onGivenUp: options.onGivenUp,
    onDispose: () => log.close(),
    // A server keeps its port for the life of the stack: its clients know it.
    launch: async (signal) => {
      const launched = await launchServer(definition, (chunk) => log.write(chunk), { port, signal });
      port = launched.port;
      return launched.process;
    },
  });
  processes.set(name, supervised);
  await supervised.start();
  const url = definition.url(port ?? 0);
  reporter.ready(name, systemClock.nowMs() - startedMs, describeServer(url));
  return url;
}

async function useExternal(name: string, url: string, reporter: Reporter): Promise<string> {
  const startedMs = systemClock.nowMs();
  await requireReachable(name, url);
  reporter.ready(name, systemClock.nowMs() - startedMs, `yours, at ${describeServer(url)}`);
  return url;
}
