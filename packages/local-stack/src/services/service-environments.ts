import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { readOrCreateSecret } from '../data-directory/secrets.ts';
import type { ServiceName, StackPorts, StackSize } from '../stack-size.ts';

/** File name in the folder of secrets; the admin command reads the file. */
export const ADMIN_TOKEN_FILE = 'admin-token';

const SECRET_FILES = {
  JOIN_TOKEN_SECRET: 'join-token-secret',
  ENCRYPTION_KEY: 'encryption-key',
} as const;

export interface ServerUrls {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
}

/** The media-worker has no access to the database, the queues or encrypted data. */
const NOT_FOR_MEDIA = ['DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL', 'ENCRYPTION_KEY', 'ADMIN_TOKENS'];

/** The environment of each service: `base` with the stack's settings. Each process also gets METRICS_PORT. */
export function serviceEnvironments(
  base: NodeJS.ProcessEnv,
  directory: DataDirectory,
  servers: ServerUrls,
  { ports, size }: { ports: StackPorts; size: StackSize },
): Record<ServiceName, NodeJS.ProcessEnv> {
  const secrets = stackSecrets(directory, base);
  const shared: NodeJS.ProcessEnv = {
    PUBLIC_URL: `http://localhost:${ports.api}`,
    MEDIA_PUBLIC_URL: `ws://localhost:${ports.media}`,
    // Node's compile cache halves the start time.
    NODE_COMPILE_CACHE: join(directory.root, 'compile-cache'),
    // Local installations are used to debug calls.
    CALL_TRACES: 'true',
    ...base,
    ...secrets,
    DATA_DIR: directory.root,
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    NATS_URL: servers.natsUrl,
    PORT: String(ports.dev?.controlPlane ?? ports.api),
    PORT_IS_SHARED: String(size['control-plane'] > 1),
    MEDIA_PORT: String(ports.media),
    MEDIA_PORT_IS_SHARED: String(size['media-worker'] > 1),
    MEDIA_WORKERS: String(size['media-worker']),
  };
  const controlPlane = { ...shared, ...administration(directory, base, ports) };
  return {
    'control-plane': controlPlane,
    'media-worker': without(shared, NOT_FOR_MEDIA),
    dispatcher: shared,
  };
}

/** The admin API with a token of this installation, unless the environment has tokens. */
function administration(
  directory: DataDirectory,
  { ADMIN_TOKENS }: NodeJS.ProcessEnv,
  { admin }: StackPorts,
): Record<string, string> {
  if (admin === undefined) return {};
  const port = { ADMIN_PORT: String(admin) };
  if (ADMIN_TOKENS) return port;
  const token = readOrCreateSecret(directory.secrets, ADMIN_TOKEN_FILE).value;
  const hash = createHash('sha256').update(token).digest('hex');
  return { ...port, ADMIN_TOKENS: `local:${hash}` };
}

function without(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

/** Secrets of the services: from the environment, or else generated once and stored. */
function stackSecrets(directory: DataDirectory, env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(SECRET_FILES).map(([variable, file]) => {
      const given = env[variable];
      return [variable, given ? given : readOrCreateSecret(directory.secrets, file).value];
    }),
  );
}
