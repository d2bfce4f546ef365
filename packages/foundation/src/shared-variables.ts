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
  PORT: integer({ default: 8080, min: 0, max: 65_535, meaning: 'REST API and console' }),
  MEDIA_PORT: integer({ default: 8081, min: 0, max: 65_535, meaning: 'join URLs' }),
  METRICS_PORT: integer({
    default: 9464,
    min: 0,
    max: 65_533,
    meaning: 'metrics and health of the control-plane',
  }),
  ADMIN_PORT: integer({ default: 8083, min: 0, max: 65_535, meaning: 'port of the admin API' }),
  MEDIA_PUBLIC_URL: publicUrl({
    protocols: ['ws:', 'wss:'],
    mayHavePath: true,
    unset: '`ws://localhost:$MEDIA_PORT`',
    meaning: 'where clients reach media-workers',
  }),
  TRUSTED_PROXIES: integer({
    default: 0,
    min: 0,
    max: 10,
    meaning: 'your proxies that append to `X-Forwarded-For`',
  }),
  DATABASE_URL: parsed({
    parse: databaseUrl,
    placeholder: '',
    meaning: '`postgres://…`, with one or several hosts',
  }),
  DATABASE_QUERY_LIMIT_MS: integer({
    default: DEFAULT_QUERY_LIMIT_MS,
    min: 500,
    max: 60_000,
    meaning: 'time limit of a query, and of the wait for a connection',
  }),
  REDIS_URL: parsed({
    parse: redisUrl,
    placeholder: '',
    meaning: '`redis://…`; `redis+sentinel://…`, `redis+cluster://…`',
  }),
  NATS_URL: parsed({
    parse: busUrls,
    placeholder: '',
    meaning: '`nats://[user:password@]host:port` or `nats://token@…`',
  }),
  NATS_REPLICAS: integer({
    default: 1,
    min: 1,
    max: 5,
    meaning: 'copies of each stream and bucket; 3 for three servers',
  }),
  JOIN_TOKEN_SECRET: secrets({ meaning: 'join URLs, call tokens, list cursors, upload URLs' }),
  RECONNECT_GRACE_MS: integer({
    unset: `${GRACE_MS}; ${REPLICATED_GRACE_MS} with \`NATS_REPLICAS\``,
    min: 0,
    max: 120_000,
    meaning: 'how long a disconnected client may take to return',
  }),
  DATA_DIR: text({ default: '.data', meaning: "the launcher's data" }),
  MEDIA_WORKERS: integer({
    default: 1,
    min: 1,
    max: 1000,
    meaning: 'media-workers on this machine',
  }),
  RTC_PORT: integer({
    default: 10_000,
    min: 0,
    max: 65_535,
    meaning: 'first media port, UDP and TCP; 0: any free ports',
  }),
  RTC_WORKERS: integer({
    unset: 'one per core, 1 to 8',
    min: 1,
    max: 64,
    meaning: 'mediasoup workers of a media-worker; at most 64',
  }),
  MEDIASOUP_WORKER_BIN: text({ unset: 'set by the setup', meaning: "mediasoup's worker program" }),
  SIP_PORT: integer({
    default: 5060,
    min: 0,
    max: 65_535,
    meaning: 'signalling, UDP and TCP; 0: any free port',
  }),
  SIP_TLS: boolean({ default: false, meaning: 'SIP calls over TLS: `sips:` and `;transport=tls`' }),
  SIP_TLS_PORT: integer({
    default: 5061,
    min: 0,
    max: 65_535,
    meaning: 'signalling, TLS; 0: any free port',
  }),
  // Below the ephemeral ports of Linux, which other programs' connections use.
  SIP_RTP_PORTS: portRange({
    default: { first: 20_000, last: 21_999 },
    meaning: 'media, UDP; each call uses a pair of ports',
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
    meaning: '`debug`, `info`, `warn`, `error` or `silent`',
  }),
  LOG_PII: boolean({ default: false, meaning: 'includes the `pii` fields: what people said or dialled' }),
} as const;

/** The logs of a service. */
export function readLoggerOptions(env: EnvReader, service: string): LoggerOptions {
  const { LOG_LEVEL, LOG_PII } = env.read(LOG_VARIABLES);
  return { service, level: LOG_LEVEL, logPii: LOG_PII };
}
