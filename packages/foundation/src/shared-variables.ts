import { databaseUrls } from './database-urls.ts';
import type { EnvReader } from './env-reader.ts';
import type { LoggerOptions } from './logger.ts';
import { parseRedisUrl } from './redis-url.ts';
import { serverUrls } from './server-urls.ts';
import { boolean, choice, integer, parsed, portRange, publicUrl, secrets, text } from './variable.ts';

const BUS_PROTOCOLS = ['nats:', 'tls:'];

/** Several URLs, separated by commas. */
function busUrls(value: string): string {
  for (const part of value.split(',')) serverUrls(part.trim(), BUS_PROTOCOLS);
  return value;
}

function databaseUrl(value: string): string {
  databaseUrls(value);
  return value;
}

function redisUrl(value: string): string {
  parseRedisUrl(value);
  return value;
}

/** API clients get a response within 5 s although the database hangs. */
export const DEFAULT_QUERY_LIMIT_MS = 4000;

const GRACE_MS = 10_000;
/** No worker can take over a call during the election of a leader, which takes up to 10 s. */
const REPLICATED_GRACE_MS = 20_000;

/** Variables that several kinds of processes read. */
export const SHARED_VARIABLES = {
  PORT: integer({ default: 8080, min: 0, max: 65_535, meaning: 'Port of the REST API and the console.' }),
  MEDIA_PORT: integer({
    default: 8081,
    min: 0,
    max: 65_535,
    meaning: 'Port of join URLs, at which clients connect to media-workers.',
  }),
  METRICS_PORT: integer({
    default: 9464,
    min: 0,
    max: 65_533,
    meaning: 'Port of the metrics and health checks of the control-plane.',
  }),
  ADMIN_PORT: integer({ default: 8083, min: 0, max: 65_535, meaning: 'Port of the admin API.' }),
  MEDIA_PUBLIC_URL: publicUrl({
    protocols: ['ws:', 'wss:'],
    mayHavePath: true,
    unset: '`ws://localhost:$MEDIA_PORT`',
    meaning: 'URL at which clients reach media-workers.',
  }),
  TRUSTED_PROXIES: integer({
    default: 0,
    min: 0,
    max: 10,
    meaning: 'Number of proxies in front of the service that append to `X-Forwarded-For`.',
  }),
  DATABASE_URL: parsed({
    parse: databaseUrl,
    placeholder: '',
    meaning: 'URL of PostgreSQL: `postgres://…`, with one or more hosts.',
  }),
  DATABASE_QUERY_LIMIT_MS: integer({
    default: DEFAULT_QUERY_LIMIT_MS,
    min: 500,
    max: 60_000,
    meaning: 'Time limit of each query, and of the wait for a connection.',
  }),
  REDIS_URL: parsed({
    parse: redisUrl,
    placeholder: '',
    meaning: 'URL of Redis: `redis://…`, `redis+sentinel://…` or `redis+cluster://…`.',
  }),
  NATS_URL: parsed({
    parse: busUrls,
    placeholder: '',
    meaning: 'URL of NATS: `nats://[user:password@]host:port` or `nats://token@…`.',
  }),
  NATS_REPLICAS: integer({
    default: 1,
    min: 1,
    max: 5,
    meaning: 'Number of copies of each stream and bucket; 3 for three servers.',
  }),
  JOIN_TOKEN_SECRET: secrets({ meaning: 'Signs join URLs, call tokens, list cursors and upload URLs.' }),
  RECONNECT_GRACE_MS: integer({
    unset: `${GRACE_MS}; ${REPLICATED_GRACE_MS} if \`NATS_REPLICAS\` is above 1`,
    min: 0,
    max: 120_000,
    meaning: 'How long a disconnected client may take to reconnect.',
  }),
  DATA_DIR: text({ default: '.data', meaning: "Folder for the launcher's data, and for objects." }),
  MEDIA_WORKERS: integer({
    default: 1,
    min: 1,
    max: 1000,
    meaning: 'Number of media-workers on this machine.',
  }),
  RTC_PORT: integer({
    default: 10_000,
    min: 0,
    max: 65_535,
    meaning: 'First port for WebRTC media, UDP and TCP; 0 chooses free ports.',
  }),
  RTC_WORKERS: integer({
    unset: 'one per core, 1 to 8',
    min: 1,
    max: 64,
    meaning: 'Number of mediasoup workers of each media-worker.',
  }),
  MEDIASOUP_WORKER_BIN: text({ unset: 'set by the setup', meaning: "Path of mediasoup's worker program." }),
  SIP_PORT: integer({
    default: 5060,
    min: 0,
    max: 65_535,
    meaning: 'Port for SIP signalling, UDP and TCP; 0 chooses a free port.',
  }),
  SIP_TLS: boolean({ default: false, meaning: 'Enables SIP over TLS: `sips:` and `;transport=tls`.' }),
  SIP_TLS_PORT: integer({
    default: 5061,
    min: 0,
    max: 65_535,
    meaning: 'Port for SIP signalling over TLS; 0 chooses a free port.',
  }),
  // Below the ephemeral ports of Linux, which other programs' connections use.
  SIP_RTP_PORTS: portRange({
    default: { first: 20_000, last: 21_999 },
    meaning: 'UDP ports for SIP media; each call uses a pair of them.',
  }),
} as const;

/** How long a disconnected client may take to return. */
export function reconnectGraceMs(values: {
  RECONNECT_GRACE_MS: number | null;
  NATS_REPLICAS: number;
}): number {
  return values.RECONNECT_GRACE_MS ?? (values.NATS_REPLICAS > 1 ? REPLICATED_GRACE_MS : GRACE_MS);
}

const LOG_VARIABLES = {
  LOG_LEVEL: choice({
    values: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    meaning: 'Lowest level that is logged: `debug`, `info`, `warn`, `error` or `silent`.',
  }),
  LOG_PII: boolean({ default: false, meaning: 'Logs the `pii` fields: what people said or dialled.' }),
} as const;

/** The logs of a service. */
export function readLoggerOptions(env: EnvReader, service: string): LoggerOptions {
  const { LOG_LEVEL, LOG_PII } = env.read(LOG_VARIABLES);
  return { service, level: LOG_LEVEL, logPii: LOG_PII };
}
