import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { readOrCreateSecret } from '../data-directory/secrets.ts';
import { spawnServer } from '../process/spawn-server.ts';
import { requireProgram } from '../programs.ts';
import { exchange } from './exchange.ts';
import { LOOPBACK, type ServerDefinition } from './launch-server.ts';

const STOP = { signal: 'SIGTERM', limitMs: 10_000 } as const;

/** Redis with an append-only file and without eviction, for BullMQ's queues. */
export function redisServer(directory: DataDirectory): ServerDefinition {
  const program = requireProgram('redis-server', 'redis-server');
  const folder = join(directory.root, 'redis');
  const password = readOrCreateSecret(directory.secrets, 'redis-password').value;

  return {
    name: 'redis',
    prepare() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return Promise.resolve();
    },
    spawn: (port, onOutput) =>
      spawnServer({
        name: 'redis',
        program,
        args: ['-'],
        // The configuration is passed by standard input, because arguments are visible to all users of the machine.
        input: configuration(port, folder, password),
        stop: STOP,
        runFile: join(directory.run, 'redis.json'),
        onOutput,
      }),
    isReady: (port) =>
      exchange(port, LOOPBACK, `AUTH ${password}\r\nPING\r\n`, (reply) => {
        const text = reply.toString('latin1');
        if (text.includes('-')) return false;
        return text.includes('+PONG') ? true : undefined;
      }),
    url: (port) => `redis://default:${password}@${LOOPBACK}:${port}/0`,
  };
}

function configuration(port: number, folder: string, password: string): string {
  return `
bind ${LOOPBACK}
port ${port}
requirepass ${password}
dir ${JSON.stringify(folder)}
daemonize no
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
maxclients 1000
`;
}
