import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { readOrCreateSecret } from '../data-directory/secrets.ts';
import { LocalStackError } from '../reporter.ts';
import type { ManagedProcess } from '../process/managed-process.ts';
import { RecentLines } from '../process/line-splitter.ts';
import { spawnServer, type SystemUser } from '../process/spawn-server.ts';
import { requireProgram } from '../programs.ts';
import { exchange } from './exchange.ts';
import { LOOPBACK, type ServerDefinition } from './launch-server.ts';

const ROLE = 'calls';
const DATABASE = 'calls';
/** SIGINT is PostgreSQL's fast shutdown: rolls back transactions and disconnects clients. */
const STOP = { signal: 'SIGINT', limitMs: 15_000 } as const;
/**
 * Passes the cluster's folder as a file descriptor: PostgreSQL does not run as root, and its user may have no access to
 * the parent folders (a checkout in /root).
 */
const FOLDER = '/proc/self/fd/3';

const ACCESS = `# Written by the launcher.\nhost all all ${LOOPBACK}/32 scram-sha-256\n`;

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: LOOPBACK,
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  jit: 'off',
  log_timezone: 'UTC',
};

/** PostgreSQL with one role and one database, with fsync, authenticated by password over loopback. */
export function postgresqlServer(directory: DataDirectory): ServerDefinition {
  const program = requireProgram('postgres', 'postgresql');
  const initdb = requireProgram('initdb', 'postgresql');
  const user = process.getuid?.() === 0 ? requireUser('postgres') : undefined;
  const folder = join(directory.root, 'postgresql');
  const password = readOrCreateSecret(directory.secrets, 'postgresql-password');

  const run = async (options: {
    program: string;
    args: readonly string[];
    folder: string;
    input?: string;
    onOutput: (chunk: Buffer) => void;
  }): Promise<ManagedProcess> => {
    const directoryFd = openSync(options.folder, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      return await spawnServer({
        name: 'postgresql',
        ...options,
        onOutput: (chunk) => options.onOutput(withPath(chunk, options.folder)),
        directoryFd,
        user,
        stop: STOP,
        runFile: join(directory.run, 'postgresql.json'),
      });
    } finally {
      closeSync(directoryFd);
    }
  };

  const runToEnd = async (
    what: string,
    command: Omit<Parameters<typeof run>[0], 'onOutput'>,
  ): Promise<void> => {
    const output = new RecentLines();
    const { code } = await (await run({ ...command, onOutput: (chunk) => output.push(chunk) })).exited;
    if (code === 0) return;
    throw new LocalStackError('server_failed', `postgresql: ${what} failed:\n${output.indented()}`);
  };

  const singleUser = (clusterFolder: string, statements: string): Promise<void> =>
    runToEnd('the first set-up', {
      program,
      args: ['--single', '-j', '-D', FOLDER, 'postgres'],
      folder: clusterFolder,
      input: statements,
    });

  const createCluster = async (): Promise<void> => {
    const unfinished = `${folder}.new`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    if (user) chownSync(unfinished, user.uid, user.gid);
    await runToEnd('initdb', {
      program: initdb,
      args: ['-D', FOLDER, '-U', ROLE, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-instructions'],
      folder: unfinished,
    });
    writeFileSync(join(unfinished, 'pg_hba.conf'), ACCESS);
    await singleUser(unfinished, `CREATE DATABASE ${DATABASE};\n\n`);
    renameSync(unfinished, folder);
  };

  return {
    name: 'postgresql',
    async prepare() {
      const isFirstStart = !existsSync(join(folder, 'PG_VERSION'));
      if (isFirstStart) await createCluster();
      if (isFirstStart || password.isNew) {
        await singleUser(folder, `ALTER ROLE ${ROLE} PASSWORD '${password.value}';\n\n`);
      }
    },
    spawn: (port, onOutput) =>
      run({
        program,
        args: [
          '-D',
          FOLDER,
          '-p',
          String(port),
          ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        ],
        folder,
        onOutput,
      }),
    // A starting or stopping server responds with E; one that requests a password is ready.
    isReady: (port) =>
      exchange(port, startupMessage(), (reply) => (reply.length === 0 ? undefined : reply[0] === 0x52)),
    url: (port) => `postgres://${ROLE}:${password.value}@${LOOPBACK}:${port}/${DATABASE}`,
  };
}

/** Output that names the folder by its path. */
function withPath(output: Buffer, folder: string): Buffer {
  return Buffer.from(
    output.toString('latin1').replaceAll(FOLDER, Buffer.from(folder).toString('latin1')),
    'latin1',
  );
}

/** Start-up packet of PostgreSQL's protocol 3.0. */
function startupMessage(): Buffer {
  const body = Buffer.from(`\0\x03\0\0user\0${ROLE}\0database\0${DATABASE}\0\0`, 'latin1');
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}

function requireUser(name: string): SystemUser {
  const user = findSystemUser(name);
  if (user) return user;
  throw new LocalStackError(
    'user_missing',
    `PostgreSQL does not run as root, and there is no user "${name}" to run it as. ` +
      `Start as another user, or create it: useradd --system ${name}`,
  );
}

/** Finds a user in /etc/passwd. */
function findSystemUser(name: string): SystemUser | undefined {
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([entryName]) => entryName === name);
  if (!entry) return undefined;
  const [uid, gid] = [Number(entry[2]), Number(entry[3])];
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}
