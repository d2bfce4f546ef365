import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, connect, type AddressInfo } from 'node:net';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { join } from 'node:path';

const run = promisify(execFile);
const START_LIMIT_MS = 15_000;

/** A real server on a port of its own with data in a folder of its own; can go away and come back with its data. */
export interface ScratchServer {
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts servers for one test file and removes every trace of them at its end. */
export class ScratchServers {
  readonly #folder: string;
  readonly #stops: (() => Promise<void>)[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<ScratchServers> {
    const folder = await mkdtemp('/tmp/calls-test-');
    await chmod(folder, 0o755);
    return new ScratchServers(folder);
  }

  async close(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
    await rm(this.#folder, { recursive: true, force: true });
  }

  nats(): Promise<ScratchServer> {
    return this.#serve('nats', (port, folder) => ({
      url: `nats://127.0.0.1:${port}`,
      command: 'nats-server',
      args: ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port)],
    }));
  }

  redis(): Promise<ScratchServer> {
    return this.#serve('redis', (port, folder) => ({
      url: `redis://127.0.0.1:${port}`,
      command: 'redis-server',
      args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes'],
    }));
  }

  async postgres(): Promise<ScratchServer> {
    const binaries = await postgresBinaries();
    const asUser = process.getuid?.() === 0 ? await postgresUser() : undefined;
    return this.#serve('postgres', async (port, folder) => {
      if (asUser) await chown(folder, asUser.uid, asUser.gid);
      const data = join(folder, 'data');
      const init = spawn(join(binaries, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'calls', '--no-sync'], {
        ...asUser,
        stdio: 'ignore',
      });
      const [code] = (await once(init, 'exit')) as [number | null];
      if (code !== 0) throw new Error(`initdb ended with ${String(code)}`);
      return {
        url: `postgres://calls@127.0.0.1:${port}/postgres`,
        command: join(binaries, 'postgres'),
        args: ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-k', folder, '-F'],
        ...(asUser && { asUser }),
        // A smart shutdown would wait for our pools to close.
        stopSignal: 'SIGINT',
      };
    });
  }

  async #serve(
    name: string,
    plan: (port: number, folder: string) => Plan | Promise<Plan>,
  ): Promise<ScratchServer> {
    const port = await freePort();
    const folder = join(this.#folder, name);
    await mkdir(folder);
    const { url, command, args, asUser, stopSignal } = await plan(port, folder);
    let child: ChildProcess | undefined;
    const server: ScratchServer = {
      url,
      async start() {
        child = spawn(command, args, { ...asUser, stdio: 'ignore' });
        child.on('error', () => undefined);
        await answers(port, child);
      },
      async stop() {
        if (child?.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        child.kill(stopSignal ?? 'SIGTERM');
        await gone;
      },
    };
    this.#stops.push(() => server.stop());
    await server.start();
    return server;
  }
}

interface Plan {
  url: string;
  command: string;
  args: string[];
  asUser?: { uid: number; gid: number };
  stopSignal?: NodeJS.Signals;
}

/** Resolves when the port takes connections. */
async function answers(port: number, child: ChildProcess): Promise<void> {
  const untilMs = Date.now() + START_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    if (Date.now() > untilMs) throw new Error(`${child.spawnfile} does not answer on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function postgresBinaries(): Promise<string> {
  const base = '/usr/lib/postgresql';
  const versions = (await readdir(base)).map(Number).sort((a, b) => b - a);
  return join(base, String(versions[0]), 'bin');
}

/** PostgreSQL refuses to run as root. */
async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const id = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}
