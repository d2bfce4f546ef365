import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { readOrCreateSecret } from '../data-directory/secrets.ts';
import { spawnServer } from '../process/spawn-server.ts';
import { requireProgram } from '../programs.ts';
import { exchange } from './exchange.ts';
import { LOOPBACK, type ServerDefinition } from './launch-server.ts';

const STOP = { signal: 'SIGTERM', limitMs: 10_000 } as const;

/** One of several Redis servers, or a Sentinel. All have the same password. */
export interface RedisMember {
  readonly name: string;
  readonly isSentinel?: boolean;
  /** Further lines of its configuration. */
  readonly settings: (password: string) => readonly string[];
}

/** Redis with an append-only file and without eviction, for BullMQ's queues. */
export function redisServer(directory: DataDirectory, member?: RedisMember): ServerDefinition {
  const program = requireProgram('redis-server', 'redis-server');
  const name = member?.name ?? 'redis';
  const folder = join(directory.root, name);
  const password = readOrCreateSecret(directory.secrets, 'redis-password').value;
  const sentinelFile = join(folder, 'sentinel.conf');
  const settings = (port: number): string =>
    [
      basicConfiguration(port, folder, password),
      ...(member?.isSentinel ? [] : [STORAGE]),
      ...(member?.settings(password) ?? []),
    ].join('\n');

  return {
    name,
    prepare() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return Promise.resolve();
    },
    spawn(port, onOutput) {
      // Sentinel rewrites its configuration.
      if (member?.isSentinel) writeFileSync(sentinelFile, settings(port), { mode: 0o600 });
      return spawnServer({
        name,
        program,
        // The configuration is passed by standard input, because arguments are visible to all users of the machine.
        ...(member?.isSentinel
          ? { args: [sentinelFile, '--sentinel'] }
          : { args: ['-'], input: settings(port) }),
        stop: STOP,
        runFile: join(directory.run, `${name}.json`),
        onOutput,
      });
    },
    isReady: (port) =>
      exchange(port, `AUTH ${password}\r\nPING\r\n`, (reply) => {
        const text = reply.toString('latin1');
        if (text.includes('-')) return false;
        return text.includes('+PONG') ? true : undefined;
      }),
    url: (port) => `redis://default:${password}@${LOOPBACK}:${port}/0`,
  };
}

const STORAGE = `appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
maxclients 1000
`;

function basicConfiguration(port: number, folder: string, password: string): string {
  return `
bind ${LOOPBACK}
port ${port}
requirepass ${password}
dir ${JSON.stringify(folder)}
daemonize no
`;
}
