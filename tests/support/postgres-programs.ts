import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePorts } from '@calls/local-stack/free-port';
import { CompiledQuery } from 'kysely';
import { eventually } from './eventually.ts';
import type { ScratchServer, ScratchServers } from './scratch-servers.ts';
import { openTestStore } from './test-store.ts';

const run = promisify(execFile);
const HOST = '127.0.0.1';

/** A program next to a PostgreSQL server. `url`: URL of the database with the address of this program. */
export interface PostgresProgram extends AsyncDisposable {
  readonly url: string;
  /** Ends the process without an orderly shutdown. */
  kill(): Promise<void>;
}

/** pgbouncer in transaction mode, with two connections to the server. */
export async function startPgBouncer(serverUrl: string): Promise<PostgresProgram> {
  const { username, password, port } = new URL(serverUrl);
  return startProgram('pgbouncer', serverUrl, async (folder, listenPort) => {
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(
      file,
      `[databases]
* = host=${HOST} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = ${HOST}
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout
`,
    );
    return ['/usr/sbin/pgbouncer', file];
  });
}

/** Returns a URL that connects to whichever of these servers accepts writes. */
export function severalHosts(urls: readonly string[]): string {
  const hosts = urls.map((url) => new URL(url).host).join(',');
  return `${urls[0]!.replace(/@[^/]+/u, `@${hosts}`)}?target_session_attrs=read-write`;
}

/** Allows standbys to stream from a server of `scratch`. */
export async function allowReplication(scratch: ScratchServers, server: ScratchServer): Promise<void> {
  const access = join(scratch.directory, 'postgresql/pg_hba.conf');
  await appendFile(access, `host replication all ${HOST}/32 scram-sha-256\n`);
  await queryOne(server.url, 'select pg_reload_conf()');
}

/** Starts a standby that streams from the server, which must allow replication. */
export async function startStandby(serverUrl: string): Promise<PostgresProgram> {
  const programs = await postgresFolder();
  return startProgram('standby', serverUrl, async (folder, listenPort, user) => {
    const data = join(folder, 'data');
    const { username, password, port } = new URL(serverUrl);
    const source = `host=${HOST} port=${port} user=${username} password=${password}`;
    await run(
      join(programs, 'pg_basebackup'),
      ['-D', data, '-R', '-X', 'stream', '-c', 'fast', '-d', source],
      {
        ...user,
        cwd: folder,
      },
    );
    // A standby requires at least the connection limit of its primary.
    const settings = {
      max_connections: 200,
      listen_addresses: HOST,
      port: listenPort,
      unix_socket_directories: '',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return [join(programs, 'postgres'), '-D', data, ...options];
  });
}

/** Folder with the PostgreSQL programs. */
export async function postgresFolder(): Promise<string> {
  const found = run('pg_config', ['--bindir']).catch(() => run('sh', ['-c', NEWEST_PROGRAMS]));
  return (await found).stdout.trim();
}

const NEWEST_PROGRAMS = 'ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1';

interface User {
  uid?: number;
  gid?: number;
}

async function startProgram(
  name: string,
  serverUrl: string,
  prepare: (folder: string, port: number, user: User) => Promise<[program: string, ...args: string[]]>,
): Promise<PostgresProgram> {
  const user = await postgresUser();
  const folder = await mkdtemp(`/tmp/calls-${name}-`);
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const port = await findFreePorts(1);
  const [program, ...args] = await prepare(folder, port, user);
  const child = spawn(program, args, { ...user, cwd: folder, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const url = new URL(serverUrl);
  url.port = String(port);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const started: PostgresProgram = {
    url: url.href,
    kill,
    async [Symbol.asyncDispose]() {
      // The processes of PostgreSQL end with their parent, but not immediately.
      child.kill('SIGINT');
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await eventually(() => queryOne(url.href, 'select 1'));
  } catch (thrown) {
    await started[Symbol.asyncDispose]();
    throw thrown;
  }
  return started;
}

/** PostgreSQL and pgbouncer refuse to run as root. */
async function postgresUser(): Promise<User> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Returns the first row of the result. */
export async function queryOne(url: string, statement: string): Promise<unknown> {
  await using store = openTestStore(url);
  const { rows } = await store.db.executeQuery(CompiledQuery.raw(statement));
  return rows[0];
}
