import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { openDataDirectory, type DataDirectory } from './data-directory/data-directory.ts';
import { lockDataDirectory } from './data-directory/data-directory-lock.ts';
import {
  inspectPortOf,
  requireFreePorts,
  rtcPortOf,
  sipPortOf,
  sipRtpPortsOf,
  sipTlsPortOf,
} from './stack-ports.ts';
import { stopLeftoverProcesses } from './process/leftover-processes.ts';
import { isHealthy, watchForFreeze } from './process/freeze-watch.ts';
import type { ManagedProcess } from './process/managed-process.ts';
import { withTimeForPeers, type RestartPolicy } from './process/restart-policy.ts';
import { SupervisedProcess } from './process/supervised-process.ts';
import { LocalStackError, type Reporter } from './reporter.ts';
import {
  type Instance,
  ONE_OF_EACH,
  type ServiceName,
  type StackSize,
  instancesOf,
  type StackPorts,
} from './stack-size.ts';
import { startServers, type ServerOverrides, type Servers } from './servers/start-servers.ts';
import { launchService } from './services/launch-service.ts';
import { runModule } from './services/run-module.ts';
import { ServiceOutput } from './services/service-output.ts';
import { DEFAULT_START_LIMIT_MS, StartProgress } from './start-progress.ts';
import { ADMIN_TOKEN_FILE, serviceEnvironments } from './services/service-environments.ts';

export interface StackOptions {
  readonly dataDir: string;
  readonly ports: StackPorts;
  /** Default: one process of each service. */
  readonly size?: StackSize;
  readonly overrides: ServerOverrides;
  /** Environment of the services in addition to what the stack sets. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * The file that runs a module of a service, which is named as in the repository. Default: the module itself. Asked at
   * each start.
   */
  readonly moduleFile?: (module: string) => string;
  /** Instead of the variables of the same names. Asked at each start of a service's process. */
  readonly startEnv?: (service: ServiceName) => NodeJS.ProcessEnv;
  readonly restart: RestartPolicy | 'never';
  readonly reporter: Reporter;
  /** How long each part may take to start. */
  readonly startLimitMs?: number;
  /** Aborting it stops a running start. Dispose a started stack instead. */
  readonly signal: AbortSignal;
  /** Called when a part has failed permanently. */
  readonly onGivenUp: (name: string) => void;
}

/** The whole system on this machine. Disposal drains the services, then stops the servers. */
export interface Stack extends AsyncDisposable {
  readonly apiUrl: string;
  readonly ports: StackPorts;
  readonly size: StackSize;
  readonly mediaUrl: string;
  readonly developmentKey: string;
  /** File with the token of the admin API; null if the environment has its tokens. */
  readonly adminTokenFile: string | null;
  readonly directory: DataDirectory;
  readonly servers: Servers;
  /** The first process of each service. */
  readonly services: Readonly<Record<ServiceName, SupervisedProcess>>;
  /** Every service process by name: tests signal, kill and restart them. */
  readonly processes: ReadonlyMap<string, SupervisedProcess>;
  /** Applies new migrations and catalogues, like every start; resolves to a summary. */
  prepareDatabase(): Promise<string>;
}

export const REPOSITORY = join(import.meta.dirname, '../../..');

/** Time for a service to stop in addition to its drain. */
const STOP_MARGIN_MS = 20_000;

/** Starts everything and waits until it is ready. If a part fails, stops everything. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const parts: AsyncDisposable[] = [];
  const dispose = async (): Promise<void> => {
    while (parts.length > 0) await parts.pop()?.[Symbol.asyncDispose]();
  };
  try {
    return await start(options, parts, dispose);
  } catch (thrown) {
    await dispose();
    throw thrown;
  }
}

async function start(
  options: StackOptions,
  parts: AsyncDisposable[],
  dispose: () => Promise<void>,
): Promise<Stack> {
  const { ports, size = ONE_OF_EACH, reporter, signal } = options;
  const directory = openDataDirectory(options.dataDir);
  parts.push(await lockDataDirectory(directory.root));
  for (const name of await stopLeftoverProcesses(directory.run)) {
    reporter.notice(name, 'was left running by a launcher that was killed; stopped');
  }
  await requireFreePorts(ports, size, options);
  signal.throwIfAborted();
  const servers = await startServers({ ...options, directory });
  parts.push(servers);

  const environments = serviceEnvironments(options.env, directory, servers, { ports, size });
  const instances = instancesOf(size, ports.metrics);
  const services = new Map(
    instances.map((instance) => [
      instance.name,
      superviseService(instance, options, directory, environments[instance.service]),
    ]),
  );
  parts.push({
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...services.values()].map((service) => service[Symbol.asyncDispose]()));
    },
  });
  const startService = (service: ServiceName, detail: string): Promise<void> =>
    allOrFirstError(
      instances
        .filter((instance) => instance.service === service)
        .map(({ name }) =>
          timed(reporter, name, async () => {
            await processOf(services, name).start();
            return detail;
          }),
        ),
    );
  const runPrepare = (): Promise<string> =>
    prepareDatabase(options, directory, environments['control-plane']);
  const prepare = timed(reporter, 'database', runPrepare);
  await allOrFirstError([
    // The media-worker needs no database.
    startService('media-worker', `:${ports.media}`),
    prepare.then(() =>
      allOrFirstError([
        startService('control-plane', `:${ports.api}`),
        startService('dispatcher', 'background jobs'),
      ]),
    ),
  ]);
  return {
    apiUrl: `http://localhost:${ports.api}`,
    ports,
    size,
    mediaUrl: `ws://localhost:${ports.media}`,
    developmentKey: readFileSync(directory.developmentKeyFile, 'utf8').trim(),
    adminTokenFile: options.env['ADMIN_TOKENS'] ? null : join(directory.secrets, ADMIN_TOKEN_FILE),
    directory,
    servers,
    services: {
      'control-plane': processOf(services, 'control-plane'),
      'media-worker': processOf(services, 'media-worker'),
      dispatcher: processOf(services, 'dispatcher'),
    },
    processes: services,
    prepareDatabase: runPrepare,
    [Symbol.asyncDispose]: dispose,
  };
}

function moduleFile({ moduleFile: fileOf }: StackOptions, module: string): string {
  return fileOf ? fileOf(module) : join(REPOSITORY, module);
}

function processOf(processes: ReadonlyMap<string, SupervisedProcess>, name: string): SupervisedProcess {
  const found = processes.get(name);
  if (!found) throw new LocalStackError('unknown_process', `the stack has no ${name}`);
  return found;
}

function superviseService(
  instance: Instance,
  options: StackOptions,
  directory: DataDirectory,
  serviceEnv: NodeJS.ProcessEnv,
): SupervisedProcess {
  const { service, name, index, metricsBase, metricsPort } = instance;
  const env: NodeJS.ProcessEnv = {
    ...serviceEnv,
    METRICS_PORT: String(metricsBase),
    ...(service === 'media-worker' && {
      RTC_PORT: String(rtcPortOf(options.ports, index)),
      RTC_WORKERS: String(options.ports.rtcEach),
      SIP_PORT: String(sipPortOf(options.ports, index)),
      SIP_TLS_PORT: String(sipTlsPortOf(options.ports, index)),
      SIP_RTP_PORTS: sipRtpPortsOf(options.ports, index, options.size?.['media-worker'] ?? 1),
    }),
  };
  const { reporter, startLimitMs = DEFAULT_START_LIMIT_MS } = options;
  const output = new ServiceOutput(name, directory.logs, reporter);
  const stopLimitMs = Number(env['DRAIN_LIMIT_MS'] ?? 0) + STOP_MARGIN_MS;
  const command = { name, stopLimitMs, inspectPort: inspectPortOf(options.ports, instance) };
  const hasPeers = (options.size ?? ONE_OF_EACH)[service] > 1;
  const policy =
    hasPeers && options.restart !== 'never' ? withTimeForPeers(options.restart) : options.restart;
  const restart = options.ports.dev ? 'on-change' : policy;
  return new SupervisedProcess({
    ...options,
    restart,
    name,
    launch: async (signal) => {
      const entry = moduleFile(options, `services/${service}/src/main.ts`);
      const startEnv = { ...env, ...options.startEnv?.(service) };
      const context = { directory, output, reporter, startLimitMs };
      const launched = await launchService({ ...command, entry, env: startEnv }, context, signal);
      if (restart !== 'never' && restart !== 'on-change') endWhenFrozen(launched, metricsPort, reporter);
      return launched;
    },
    onDispose: () => output.close(),
  });
}

/** Clients of a frozen process would wait for it. When it has ended, it is restarted, and they reconnect. */
function endWhenFrozen(process: ManagedProcess, metricsPort: number, reporter: Reporter): void {
  const responds = (limitMs: number): Promise<boolean> => isHealthy(metricsPort, limitMs);
  const onFrozen = (): void => {
    reporter.notice(process.name, 'is frozen; killed');
    process.kill().catch((thrown: unknown) => reporter.notice(process.name, toError(thrown).message));
  };
  void watchForFreeze(process, responds, onFrozen);
}

/** Resolves with a summary of the changes. */
async function prepareDatabase(
  options: StackOptions,
  directory: DataDirectory,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { reporter, signal, startLimitMs = DEFAULT_START_LIMIT_MS } = options;
  using _progress = new StartProgress({ name: 'database' }, reporter);
  const output = new ServiceOutput('prepare-database', directory.logs, reporter);
  try {
    const message = await runModule({
      name: 'prepare-database',
      entry: moduleFile(options, 'services/control-plane/src/prepare-database.ts'),
      args: ['--development-key-file', directory.developmentKeyFile],
      env,
      limitMs: startLimitMs,
      output,
      signal,
    });
    return hasApplied(message) ? 'migrated' : 'up to date';
  } finally {
    output.close();
  }
}

function hasApplied(message: unknown): boolean {
  if (typeof message !== 'object' || message === null || !('applied' in message)) return false;
  return Array.isArray(message.applied) && message.applied.length > 0;
}

/** Reports the part as ready, with the result of `run` as detail. */
export async function timed(reporter: Reporter, part: string, run: () => Promise<string>): Promise<void> {
  const startedMs = systemClock.nowMs();
  const detail = await run();
  reporter.ready(part, systemClock.nowMs() - startedMs, detail);
}

/** Waits for all promises, then throws the first error. */
async function allOrFirstError(promises: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
