import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { readOrCreateSecret } from '../data-directory/secrets.ts';
import { spawnServer } from '../process/spawn-server.ts';
import { requireProgram } from '../programs.ts';
import { exchange } from './exchange.ts';
import { LOOPBACK, type ServerDefinition } from './launch-server.ts';

const SERVER_NAME = 'calls-local';
const CLUSTER_USER = 'route';
const STOP = { signal: 'SIGTERM', limitMs: 10_000 } as const;

/** An upper limit, not a reservation; above the sum of the streams' limits. */
const MAX_FILE_STORE_GB = 16;

/** One of several NATS servers that replicate streams. */
export interface ClusterMember {
  /** Number of the server, from 1. */
  readonly number: number;
  /** Ports for the other servers, by number - 1. */
  readonly routePorts: readonly number[];
}

/** NATS with JetStream on disk. Clients send the token as the user name in the URL, the same for all of a cluster. */
export function natsServer(directory: DataDirectory, member?: ClusterMember): ServerDefinition {
  const program = requireProgram('nats-server', 'nats-server');
  const name = member ? `nats-${member.number}` : 'nats';
  const folder = join(directory.root, name);
  const configurationFile = join(directory.run, `${name}.conf`);
  const token = readOrCreateSecret(directory.secrets, 'nats-token').value;
  const greeting = `CONNECT ${JSON.stringify({ verbose: false, pedantic: false, auth_token: token })}\r\nPING\r\n`;

  return {
    name,
    prepare() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return Promise.resolve();
    },
    spawn(port, onOutput) {
      writeFileSync(configurationFile, configuration(port, folder, token, member), { mode: 0o600 });
      return spawnServer({
        name,
        program,
        args: ['-c', configurationFile],
        stop: STOP,
        runFile: join(directory.run, `${name}.json`),
        onOutput,
      });
    },
    isReady: (port) =>
      exchange(port, greeting, (reply) => {
        const text = reply.toString('latin1');
        if (text.includes('-ERR')) return false;
        return text.includes('PONG') ? text.includes('"jetstream":true') : undefined;
      }),
    url: (port) => `nats://${token}@${LOOPBACK}:${port}`,
  };
}

function configuration(port: number, folder: string, token: string, member?: ClusterMember): string {
  return `
listen: "${LOOPBACK}:${port}"
server_name: "${SERVER_NAME}${member ? `-${member.number}` : ''}"
authorization { token: "${token}" }
jetstream {
  store_dir: ${JSON.stringify(folder)}
  max_memory_store: 64MB
  max_file_store: ${MAX_FILE_STORE_GB}GB
}
max_payload: 4MB
max_connections: 1000
write_deadline: "10s"
${member ? clusterConfiguration(member, token) : ''}`;
}

function clusterConfiguration({ number, routePorts }: ClusterMember, token: string): string {
  const routes = routePorts.map((port) => `"nats://${CLUSTER_USER}:${token}@${LOOPBACK}:${port}"`);
  return `cluster {
  name: "${SERVER_NAME}"
  listen: "${LOOPBACK}:${routePorts[number - 1]}"
  authorization { user: "${CLUSTER_USER}", password: "${token}" }
  routes: [${routes.join(', ')}]
}
`;
}
