import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { readOrCreateSecret } from '../data-directory/secrets.ts';
import { spawnServer } from '../process/spawn-server.ts';
import { requireProgram } from '../programs.ts';
import { exchange } from './exchange.ts';
import { LOOPBACK, type ServerDefinition } from './launch-server.ts';

const STOP = { signal: 'SIGTERM', limitMs: 10_000 } as const;

/** An upper limit, not a reservation; above the sum of the streams' limits. */
const MAX_FILE_STORE_GB = 16;

/** NATS with JetStream on disk. Clients send the token as the user name in the URL. */
export function natsServer(directory: DataDirectory): ServerDefinition {
  const program = requireProgram('nats-server', 'nats-server');
  const folder = join(directory.root, 'nats');
  const configurationFile = join(directory.run, 'nats.conf');
  const token = readOrCreateSecret(directory.secrets, 'nats-token').value;
  const greeting = `CONNECT ${JSON.stringify({ verbose: false, pedantic: false, auth_token: token })}\r\nPING\r\n`;

  return {
    name: 'nats',
    prepare() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return Promise.resolve();
    },
    spawn(port, onOutput) {
      writeFileSync(configurationFile, configuration(port, folder, token), { mode: 0o600 });
      return spawnServer({
        name: 'nats',
        program,
        args: ['-c', configurationFile],
        stop: STOP,
        runFile: join(directory.run, 'nats.json'),
        onOutput,
      });
    },
    isReady: (port) =>
      exchange(port, LOOPBACK, greeting, (reply) => {
        const text = reply.toString('latin1');
        if (text.includes('-ERR')) return false;
        return text.includes('PONG') ? text.includes('"jetstream":true') : undefined;
      }),
    url: (port) => `nats://${token}@${LOOPBACK}:${port}`,
  };
}

function configuration(port: number, folder: string, token: string): string {
  return `
listen: "${LOOPBACK}:${port}"
server_name: "calls-local"
authorization { token: "${token}" }
jetstream {
  store_dir: ${JSON.stringify(folder)}
  max_memory_store: 64MB
  max_file_store: ${MAX_FILE_STORE_GB}GB
}
max_payload: 4MB
max_connections: 1000
write_deadline: "10s"
`;
}
