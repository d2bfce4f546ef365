import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataDirectory, type DataDirectory } from '@calls/local-stack/data-directory/data-directory';
import { findFreePorts } from '@calls/local-stack/free-port';
import type { SupervisedProcess } from '@calls/local-stack/process/supervised-process';
import type { RedisMember } from '@calls/local-stack/servers/redis';
import { silentReporter } from '@calls/local-stack/reporter';
import {
  startNatsCluster,
  startRedisServers,
  startServer,
  type ServerName,
  type ServerOptions,
  type StartedServer,
} from '@calls/local-stack/servers/start-servers';
import { copyClusterTemplate } from './cluster-template.ts';
import {
  clusterUrl,
  formRedisCluster,
  redisClusterMembers,
  redisMaster,
  redisReplicas,
  redisSentinels,
  sentinelUrl,
  withTls,
  type RedisTls,
} from './redis-groups.ts';
import { createDatabase } from './shared-postgres.ts';

/** A real server with its own data. It can be stopped and restarted on the same port with the same data. */
export interface ScratchServer {
  readonly url: string;
  stop(): Promise<void>;
  /** Ends the server without an orderly shutdown. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Undefined while it is not running. */
  readonly pid: number | undefined;
}

export interface NatsCluster {
  /** URLs of all servers, separated by commas. */
  readonly url: string;
  readonly servers: readonly ScratchServer[];
}

/** A Redis master with replicas and the Sentinels that monitor it. */
export interface RedisSentinelGroup {
  readonly url: string;
  /** The first master, then its replicas. */
  readonly servers: readonly ScratchServer[];
  readonly sentinels: readonly ScratchServer[];
}

export interface RedisCluster {
  readonly url: string;
  /** The masters, then the replicas. */
  readonly servers: readonly ScratchServer[];
}

/** Servers and databases for one test file. Closing stops the servers and deletes their data. */
export class ScratchServers {
  readonly #directory: DataDirectory;
  readonly #processes: SupervisedProcess[] = [];
  #redisGroups = 0;

  private constructor(directory: DataDirectory) {
    this.#directory = directory;
  }

  static async open(): Promise<ScratchServers> {
    return new ScratchServers(openDataDirectory(await mkdtemp(join(tmpdir(), 'calls-test-'))));
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process[Symbol.asyncDispose]()));
    await rm(this.#directory.root, { recursive: true, force: true });
  }

  /** Folder with all files of the servers. */
  get directory(): string {
    return this.#directory.root;
  }

  nats(): Promise<ScratchServer> {
    return this.#start('nats');
  }

  redis(): Promise<ScratchServer> {
    return this.#start('redis');
  }

  /** Starts a PostgreSQL server with an empty database. */
  async postgres(): Promise<ScratchServer> {
    await copyClusterTemplate(this.#directory.root);
    return this.#start('postgresql');
  }

  /** Creates a database on the PostgreSQL server that all test files share. The database is migrated unless `empty`. */
  async database({ empty = false } = {}): Promise<ScratchServer> {
    const isShared = (): Promise<void> =>
      Promise.reject(new Error('the PostgreSQL server is shared; start a separate one with postgres()'));
    return {
      url: await createDatabase({ empty }),
      start: isShared,
      stop: isShared,
      kill: isShared,
      pid: undefined,
    };
  }

  /** Starts NATS servers that replicate streams. */
  async natsCluster(size: number): Promise<NatsCluster> {
    const first = await findFreePorts(size);
    const routePorts = Array.from({ length: size }, (_, index) => first + index);
    const started = await startNatsCluster(routePorts, this.#options);
    const servers = started.map((server) => this.#own(server));
    return { url: servers.map(({ url }) => url).join(','), servers };
  }

  /** Three Sentinels fail over to a replica within seconds; a single one without replicas only reports the master. */
  async redisSentinelGroup(
    size: { replicas: number; sentinels: number },
    tls?: RedisTls,
  ): Promise<RedisSentinelGroup> {
    const group = (this.#redisGroups += 1);
    const [master] = await this.#startRedis([redisMaster(group)], tls);
    const others = await this.#startRedis(
      [
        ...redisReplicas(group, size.replicas, master!.clientPort),
        ...redisSentinels(group, size.sentinels, master!.clientPort),
      ],
      tls,
    );
    const servers = [master!, ...others.slice(0, size.replicas)];
    const sentinels = others.slice(size.replicas);
    const { password } = new URL(master!.url);
    const ports = sentinels.map(({ clientPort }) => clientPort);
    return {
      url: sentinelUrl(password, ports, tls),
      servers: servers.map((server) => this.#own(server)),
      sentinels: sentinels.map((server) => this.#own(server)),
    };
  }

  async redisCluster(size: { masters: number; replicas: number }, tls?: RedisTls): Promise<RedisCluster> {
    const count = size.masters + size.replicas;
    const group = (this.#redisGroups += 1);
    const members = redisClusterMembers(group, await findFreePorts(count), count);
    const servers = await this.#startRedis(members, tls);
    const owned = servers.map((server) => this.#own(server));
    const urls = servers.map(({ url }) => url);
    const ports = servers.map(({ clientPort }) => clientPort);
    await formRedisCluster(urls, ports, size.replicas / size.masters, tls);
    return { url: clusterUrl(new URL(urls[0]!).password, ports, tls), servers: owned };
  }

  /** `clientPort`: the TLS port, if there is one. */
  async #startRedis(
    members: readonly RedisMember[],
    tls: RedisTls | undefined,
  ): Promise<(StartedServer & { clientPort: number })[]> {
    const firstTlsPort = tls && (await findFreePorts(members.length));
    const configured = tls && firstTlsPort !== undefined ? withTls(members, tls, firstTlsPort) : members;
    const servers = await startRedisServers(configured, this.#options);
    return servers.map((server, index) => ({
      ...server,
      clientPort: firstTlsPort === undefined ? Number(new URL(server.url).port) : firstTlsPort + index,
    }));
  }

  async #start(name: ServerName): Promise<ScratchServer> {
    return this.#own(await startServer(name, this.#options));
  }

  get #options(): ServerOptions {
    return {
      directory: this.#directory,
      reporter: silentReporter,
      restart: 'never',
      signal: new AbortController().signal,
      onGivenUp: () => undefined,
    };
  }

  #own({ url, process }: StartedServer): ScratchServer {
    this.#processes.push(process);
    return {
      url,
      start: () => process.start(),
      async stop() {
        await process.stop();
      },
      async kill() {
        await process.kill();
      },
      get pid() {
        return process.pid;
      },
    };
  }
}
