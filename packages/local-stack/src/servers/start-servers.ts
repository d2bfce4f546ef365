import { join } from 'node:path';
import { systemClock } from '@calls/foundation/clock';
import { databaseUrls } from '@calls/foundation/database-urls';
import { redisUrls } from '@calls/foundation/redis-url';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { RotatingLog } from '../process/rotating-log.ts';
import { SupervisedProcess } from '../process/supervised-process.ts';
import type { RestartPolicy } from '../process/restart-policy.ts';
import type { Reporter } from '../reporter.ts';
import { DEFAULT_START_LIMIT_MS, StartProgress } from '../start-progress.ts';
import { launchServer, type ServerDefinition } from './launch-server.ts';
import { natsServer } from './nats.ts';
import { postgresqlServer } from './postgresql.ts';
import { redisServer, type RedisMember } from './redis.ts';
import { describeServer, requireReachable } from './external-server.ts';

export type ServerName = 'postgresql' | 'redis' | 'nats';

/** URLs of external servers, which are used instead of starting our own. */
export interface ServerOverrides {
  readonly databaseUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
  readonly natsUrl?: string | undefined;
}

export interface Servers extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  /** The started servers, for tests that kill and restart them. */
  readonly processes: ReadonlyMap<ServerName, SupervisedProcess>;
}

export interface ServersOptions {
  readonly directory: DataDirectory;
  readonly overrides: ServerOverrides;
  readonly reporter: Reporter;
  /** How long each server may take to start. */
  readonly startLimitMs?: number;
  readonly restart: RestartPolicy | 'never';
  readonly onGivenUp: (name: string) => void;
  /** Aborts when the stack must stop, even during a start. */
  readonly signal: AbortSignal;
}

export type ServerOptions = Omit<ServersOptions, 'overrides'>;

export interface StartedServer {
  readonly url: string;
  readonly process: SupervisedProcess;
}

/** The URLs of the hosts that a configured URL names. */
const urlsOfHosts: Readonly<Record<ServerName, (url: string) => readonly URL[]>> = {
  postgresql: (url) => databaseUrls(url).map((each) => new URL(each)),
  redis: redisUrls,
  nats: (url) => url.split(',').map((each) => new URL(each.trim())),
};

const MAX_LOG_BYTES = 10_000_000;

const definitions: Readonly<Record<ServerName, (directory: DataDirectory) => ServerDefinition>> = {
  postgresql: postgresqlServer,
  redis: redisServer,
  nats: natsServer,
};

/**
 * Starts PostgreSQL, Redis and NATS concurrently and waits for all. If one fails, stops the others. Disposal stops them
 * in reverse order.
 */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { overrides, reporter } = options;
  const processes = new Map<ServerName, SupervisedProcess>();
  const dispose = async (): Promise<void> => {
    for (const name of ['nats', 'redis', 'postgresql'] as const)
      await processes.get(name)?.[Symbol.asyncDispose]();
  };
  const one = async (name: ServerName, url: string | undefined): Promise<string> => {
    if (url !== undefined) return useExternal(name, url, reporter);
    const server = await startServer(name, options);
    processes.set(name, server.process);
    return server.url;
  };

  const started = await Promise.allSettled([
    one('postgresql', overrides.databaseUrl),
    one('redis', overrides.redisUrl),
    one('nats', overrides.natsUrl),
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

/** Starts one server. Its port stays the same across restarts. Dispose the process to stop it. */
export function startServer(name: ServerName, options: ServerOptions): Promise<StartedServer> {
  return startDefined(definitions[name](options.directory), options);
}

/** Starts the NATS servers of a cluster, each of which waits for the others, on these ports. */
export function startNatsCluster(
  routePorts: readonly number[],
  options: ServerOptions,
): Promise<StartedServer[]> {
  const members = routePorts.map((_, index) => ({ number: index + 1, routePorts }));
  return Promise.all(members.map((member) => startDefined(natsServer(options.directory, member), options)));
}

/** Starts Redis servers with different settings. */
export function startRedisServers(
  members: readonly RedisMember[],
  options: ServerOptions,
): Promise<StartedServer[]> {
  return Promise.all(members.map((member) => startDefined(redisServer(options.directory, member), options)));
}

async function startDefined(definition: ServerDefinition, options: ServerOptions): Promise<StartedServer> {
  const { name } = definition;
  const { reporter, directory, startLimitMs = DEFAULT_START_LIMIT_MS } = options;
  const startedMs = systemClock.nowMs();
  await prepared(definition, reporter);
  const notice = (text: string): void => reporter.notice(name, text);
  const log = new RotatingLog(join(directory.logs, `${name}.log`), MAX_LOG_BYTES, notice);
  let port: number | undefined;
  const supervised = new SupervisedProcess({
    ...options,
    name,
    onDispose: () => log.close(),
    launch: async (signal) => {
      const launched = await launchServer(definition, (chunk) => log.write(chunk), {
        ...{ port, reporter, startLimitMs, signal },
      });
      port = launched.port;
      return launched.process;
    },
  });
  try {
    await supervised.start();
  } catch (thrown) {
    await supervised[Symbol.asyncDispose]();
    throw thrown;
  }
  const url = definition.url(port ?? 0);
  reporter.ready(name, systemClock.nowMs() - startedMs, describeServer(new URL(url)));
  return { url, process: supervised };
}

async function prepared(definition: ServerDefinition, reporter: Reporter): Promise<void> {
  using _progress = new StartProgress(definition, reporter);
  await definition.prepare();
}

async function useExternal(name: ServerName, url: string, reporter: Reporter): Promise<string> {
  const startedMs = systemClock.nowMs();
  const urls = urlsOfHosts[name](url);
  await requireReachable(name, urls);
  reporter.ready(name, systemClock.nowMs() - startedMs, `yours, at ${urls.map(describeServer).join(', ')}`);
  return url;
}
