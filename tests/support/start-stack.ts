import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@calls/local-stack/free-port';
import { silentReporter } from '@calls/local-stack/reporter';
import { startStack, type Stack } from '@calls/local-stack/stack';
import type { StackPorts } from '@calls/local-stack/stack-size';
import { instancesOf, ONE_OF_EACH, type StackSize } from '@calls/local-stack/stack-size';
import { serviceCompileCache, serviceModule } from './build-services.ts';
import { copyClusterTemplate } from './cluster-template.ts';
import { LIFTED_LIMITS_ENV, LONG_ENGINE_LIMITS_ENV, LONG_QUERY_LIMIT_MS } from './lifted-limits.ts';
import { mediasoupWorkerEnvironment } from './mediasoup-worker.ts';
import { createDatabase, hasSharedPostgres } from './shared-postgres.ts';

/** Limits that accept the calls and requests of tests of other features on a busy machine. */
const BUSY_MACHINE_ENV = {
  MEDIA_CAPACITY: '100',
  OVERLOAD_DELAY_MS: '0',
  DATABASE_QUERY_LIMIT_MS: String(LONG_QUERY_LIMIT_MS),
  ...LONG_ENGINE_LIMITS_ENV,
};

/** Starts the complete system with its own data folder on free ports. Disposal leaves no process and no file. */
export async function startTestStack(
  options: {
    env?: Readonly<Record<string, string>>;
    size?: StackSize;
    /** Ports to use instead of free ones. */
    ports?: Partial<StackPorts>;
    /** Starts a PostgreSQL server in the folder of the stack instead of using a database on the shared server. */
    ownPostgres?: boolean;
    /** External servers to use instead of servers of the stack. */
    databaseUrl?: string;
    redisUrl?: string;
    natsUrl?: string;
    /** Runs sources instead of bundles, for tests that change a source when it is loaded. */
    fromSources?: boolean;
  } = {},
): Promise<Stack> {
  const { size = ONE_OF_EACH, fromSources = false, databaseUrl, redisUrl, natsUrl } = options;
  const { ownPostgres = databaseUrl === undefined && !hasSharedPostgres() } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'calls-stack-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  try {
    if (ownPostgres) await copyClusterTemplate(dataDir);
    const stack = await startStack({
      dataDir,
      ports: { ...(await findStackPorts(size)), ...options.ports },
      size,
      overrides: {
        ...(!ownPostgres && { databaseUrl: databaseUrl ?? (await createDatabase()) }),
        redisUrl,
        natsUrl,
      },
      env: {
        ...testEnvironment(),
        NODE_COMPILE_CACHE: serviceCompileCache(),
        ...LIFTED_LIMITS_ENV,
        ...BUSY_MACHINE_ENV,
        ...options.env,
      },
      ...(!fromSources && { moduleFile: serviceModule }),
      restart: 'never',
      reporter: silentReporter,
      signal: new AbortController().signal,
      onGivenUp: () => undefined,
    });
    return disposedWith(stack, remove);
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

export async function findStackPorts(size = ONE_OF_EACH): Promise<StackPorts> {
  const lastMetrics = Math.max(...instancesOf(size, 0).map(({ metricsPort }) => metricsPort));
  return {
    api: await findFreePorts(1),
    media: await findFreePorts(1),
    metrics: await findFreePorts(lastMetrics + 1),
    rtc: 0,
    rtcEach: 1,
    sip: 0,
    sipRtp: { first: 20_000, last: 21_999 },
  };
}

/** Environment of test processes. It inherits only basic variables, so that tests behave the same on every machine. */
export function testEnvironment(): Record<string, string> {
  const inherited = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'NODE_COMPILE_CACHE'].flatMap(
    (name): [string, string][] => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    },
  );
  return { ...Object.fromEntries(inherited), ...mediasoupWorkerEnvironment() };
}

function disposedWith<T extends AsyncDisposable>(part: T, after: () => Promise<void>): T {
  const dispose = part[Symbol.asyncDispose].bind(part);
  return {
    ...part,
    [Symbol.asyncDispose]: async () => {
      await dispose();
      await after();
    },
  };
}
