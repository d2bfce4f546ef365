import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { toError } from '@calls/foundation/errors';
import { openDataDirectory } from '@calls/local-stack/data-directory/data-directory';
import { lockDataDirectory } from '@calls/local-stack/data-directory/data-directory-lock';
import { findFreePorts } from '@calls/local-stack/free-port';
import { identifyProcess } from '@calls/local-stack/process/process-identity';
import { silentReporter } from '@calls/local-stack/reporter';
import { startServers, type ServerOverrides, type Servers } from '@calls/local-stack/servers/start-servers';
import { connect } from 'nats';
import { copyClusterTemplate } from '../support/cluster-template.ts';
import { eventually } from '../support/eventually.ts';
import { testEnvironment } from '../support/start-stack.ts';

const run = promisify(execFile);
const HOLDER = join(import.meta.dirname, '../support/servers-holder.ts');

interface Started {
  pids: number[];
  leftovers: string[];
  databaseUrl: string;
}

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'calls-local-servers-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const start = (overrides: ServerOverrides = {}): Promise<Servers> =>
  startServers({
    directory: openDataDirectory(dataDir),
    overrides,
    reporter: silentReporter,
    restart: 'never',
    signal: new AbortController().signal,
    onGivenUp: () => undefined,
  });

async function psql(url: string, statement: string): Promise<string> {
  return (await run('psql', [url, '-qtAX', '-c', statement])).stdout.trim();
}

async function redis(url: string, ...command: string[]): Promise<string> {
  return (await run('redis-cli', ['--no-auth-warning', '-u', url, ...command])).stdout.trim();
}

async function jetStreamMessages(url: string, publish?: string): Promise<number> {
  const connection = await connect({ servers: url, token: new URL(url).username });
  try {
    const manager = await connection.jetstreamManager();
    await manager.streams.add({ name: 'persisted', subjects: ['persisted'] });
    if (publish !== undefined) await connection.jetstream().publish('persisted', publish);
    return (await manager.streams.info('persisted')).state.messages;
  } finally {
    await connection.close();
  }
}

const livePids = (servers: Servers): number[] =>
  [...servers.processes.values()].flatMap((server) => server.pid ?? []);

describe('the embedded servers of a new data directory', () => {
  it('require credentials and preserve their data over a restart', async () => {
    const first = await start();
    await psql(first.databaseUrl, 'CREATE TABLE persisted AS SELECT 42 AS answer');
    await redis(first.redisUrl, 'SET', 'persisted', '42');
    await jetStreamMessages(first.natsUrl, '42');
    await expect(psql(first.databaseUrl.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(
      /password/,
    );
    expect(await redis(first.redisUrl.replace(/:[^:@]+@/, ':wrong@'), 'GET', 'persisted')).toMatch(
      /NOAUTH|WRONGPASS/,
    );
    await expect(connect({ servers: new URL(first.natsUrl).host })).rejects.toThrow(/Authorization/);
    await first[Symbol.asyncDispose]();

    const second = await start();
    try {
      expect(await psql(second.databaseUrl, 'SELECT answer FROM persisted')).toBe('42');
      expect(await psql(second.databaseUrl, 'SHOW fsync')).toBe('on');
      expect(await redis(second.redisUrl, 'GET', 'persisted')).toBe('42');
      expect(await redis(second.redisUrl, 'CONFIG', 'GET', 'maxmemory-policy')).toContain('noeviction');
      expect(await jetStreamMessages(second.natsUrl)).toBe(1);
    } finally {
      await second[Symbol.asyncDispose]();
    }
  });

  it('hide their secrets from other users of the machine', async () => {
    const servers = await start();
    try {
      expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
      const files = (await readdir(join(dataDir, 'secrets'))).map((file) => join(dataDir, 'secrets', file));
      expect(files).toHaveLength(3);
      for (const file of files) {
        expect((await stat(file)).mode & 0o777).toBe(0o600);
        const secret = (await readFile(file, 'utf8')).trim();
        for (const pid of livePids(servers))
          expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(secret);
      }
    } finally {
      await servers[Symbol.asyncDispose]();
    }
  });
});

describe('the embedded servers', () => {
  beforeEach(() => copyClusterTemplate(dataDir));

  it('leave no process and no run file when they are disposed', async () => {
    const servers = await start();
    const pids = livePids(servers);
    expect(pids).toHaveLength(3);
    await servers[Symbol.asyncDispose]();
    expect(pids.map(identifyProcess)).toEqual([undefined, undefined, undefined]);
    expect((await readdir(join(dataDir, 'run'))).filter((file) => file.endsWith('.json'))).toEqual([]);
  });

  it('preserve acknowledged data when killed and restart on the same port', async () => {
    const servers = await start();
    try {
      await psql(servers.databaseUrl, 'CREATE TABLE persisted AS SELECT 42 AS answer');
      for (const server of servers.processes.values()) {
        await server.kill();
        expect(server.pid).toBeUndefined();
        await server.start();
      }
      expect(await psql(servers.databaseUrl, 'SELECT answer FROM persisted')).toBe('42');
      expect(await redis(servers.redisUrl, 'PING')).toBe('PONG');
      expect(await jetStreamMessages(servers.natsUrl)).toBe(0);
    } finally {
      await servers[Symbol.asyncDispose]();
    }
  });

  it('set a new PostgreSQL password when the secret was removed', async () => {
    await (await start())[Symbol.asyncDispose]();
    await rm(join(dataDir, 'secrets/postgresql-password'));
    const servers = await start();
    try {
      expect(await psql(servers.databaseUrl, 'SELECT 1')).toBe('1');
    } finally {
      await servers[Symbol.asyncDispose]();
    }
  });

  it('are not started when a URL is configured', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const redisUrl = `redis://127.0.0.1:${port}`;
    // One server of a cluster may be down.
    const natsUrl = `nats://127.0.0.1:${await findFreePorts(1)},nats://127.0.0.1:${port}`;
    const servers = await start({ redisUrl, natsUrl });
    try {
      expect(servers.redisUrl).toBe(redisUrl);
      expect(servers.natsUrl).toBe(natsUrl);
      expect([...servers.processes.keys()]).toEqual(['postgresql']);
    } finally {
      await servers[Symbol.asyncDispose]();
      listener.close();
    }
  });

  it('are all stopped when one of them fails', async () => {
    const address = `127.0.0.1:${await findFreePorts(1)}`;
    await expect(start({ natsUrl: `nats://${address}` })).rejects.toThrow(
      `nats at ${address} cannot be reached`,
    );
    await eventually(async () => expect(await processesUsing(dataDir)).toEqual([]));
    expect(await readdir(join(dataDir, 'run'))).toEqual([]);
  });

  it('report the output of a server that fails to start', async () => {
    await writeFile(join(dataDir, 'redis'), 'not a folder');
    await expect(start()).rejects.toThrow(/EEXIST|ENOTDIR/);
    await rm(join(dataDir, 'redis'));
    const servers = await start();
    await servers[Symbol.asyncDispose]();
    await writeFile(join(dataDir, 'postgresql/postgresql.conf'), 'no_such_setting = 1\n');
    const { message } = await start().then(() => new Error('started'), toError);
    expect(message).toMatch(/^postgresql ended before it was ready/u);
    // The output of its last start, without those of earlier attempts.
    expect(message.match(/no_such_setting/gu)).toHaveLength(1);
    expect(message).toContain(`in file "${dataDir}/postgresql/postgresql.conf" line 1`);
  });
});

describe('the data directory', () => {
  it('can be used by one launcher at a time', async () => {
    const lock = await lockDataDirectory(dataDir);
    await expect(lockDataDirectory(dataDir)).rejects.toThrow(
      `DATA_DIR ${dataDir} is in use by a running launcher (pid ${process.pid})`,
    );
    await lock[Symbol.asyncDispose]();
    await (await lockDataDirectory(dataDir))[Symbol.asyncDispose]();
  });

  it('must be a writable directory', async () => {
    await writeFile(join(dataDir, 'file'), '');
    expect(() => openDataDirectory(join(dataDir, 'file'))).toThrow(/cannot be written/);
  });
});

describe('a launcher that is killed', () => {
  let holder: ChildProcess;
  beforeEach(() => copyClusterTemplate(dataDir));
  const launch = async (): Promise<Started> => {
    holder = fork(HOLDER, [dataDir], { execArgv: [], env: testEnvironment() });
    const [started] = (await once(holder, 'message')) as [Started];
    return started;
  };
  afterEach(async () => {
    const ended = once(holder, 'exit');
    if (holder.kill('SIGTERM')) await ended;
  });

  it('terminates its servers, and the next start uses the same data', async () => {
    const first = await launch();
    expect(first.pids.map((pid) => identifyProcess(pid)?.pid)).toEqual(first.pids);
    await psql(first.databaseUrl, 'CREATE TABLE persisted AS SELECT 42 AS answer');
    holder.kill('SIGKILL');
    await eventually(() =>
      expect(first.pids.map(identifyProcess)).toEqual([undefined, undefined, undefined]),
    );
    const second = await launch();
    expect(second.leftovers).toEqual([]);
    expect(await psql(second.databaseUrl, 'SELECT answer FROM persisted')).toBe('42');
  });

  it('leaves unresponsive servers for the next start to terminate', async () => {
    const first = await launch();
    const stopped = first.pids[0]!;
    process.kill(stopped, 'SIGSTOP');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const second = await launch();
    expect(second.leftovers).toEqual(expect.arrayContaining(['postgresql']));
    expect(identifyProcess(stopped)).toBeUndefined();
    expect(await psql(second.databaseUrl, 'SELECT 1')).toBe('1');
  });

  it('does not affect an unrelated process with the pid of an old run file', async () => {
    await chmod(dataDir, 0o700);
    const directory = openDataDirectory(dataDir);
    const record = { name: 'old', pid: process.pid, startTicks: '1', stopSignal: 'SIGKILL' };
    await writeFile(join(directory.run, 'old.json'), JSON.stringify(record));
    expect((await launch()).leftovers).toEqual([]);
    expect(await readdir(directory.run)).not.toContain('old.json');
  });
});

async function processesUsing(folder: string): Promise<string[]> {
  const { stdout } = await run('ps', ['-eo', 'pid,args']);
  return stdout.split('\n').filter((line) => line.includes(folder) && !line.includes('jest'));
}
