import { fileURLToPath } from 'node:url';
import type { EnvReader } from '@calls/foundation/env-reader';
import type { LoggerOptions } from '@calls/foundation/logger';
import { readReplicaUrls } from '@calls/foundation/database-urls';
import { readLoggerOptions, reconnectGraceMs, SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import {
  boolean,
  integer,
  InvalidVariableError,
  parsed,
  publicUrl,
  text,
  url,
} from '@calls/foundation/variable';
import { readObjectStorageConfig, type ObjectStorageConfig } from '@calls/object-storage/config';
import type { OutboundConfig } from '@calls/outbound-http/config';
import { modelNames } from '@calls/providers/config/catalogue';
import { readProviderConfig, type ProviderConfig } from '@calls/providers/config/provider-config';
import { readEmbeddingConfig, type EmbeddingConfig } from '@calls/providers/embeddings/embedding-config';
import { readRerankConfig, type RerankConfig } from '@calls/providers/rerank/rerank-config';
import { readVoiceAliases, type VoiceAliases } from '@calls/providers/config/voice-aliases';
import { ofEachTelephonyAccount, type TelephonyProvider } from '@calls/providers/telephony/telephony-vendors';
import { readPlanLimits, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import { readEncryptionKeys } from '@calls/secrets/secret-box/encryption-keys';
import { readTracingConfig, type TracingConfig } from '@calls/telemetry/tracing/tracing-config';
import { parseAdminTokens, type AdminToken } from './auth/admin-tokens.ts';

/** Addresses of the vendors' APIs, without a path. */
export type TelephonyUrls = Readonly<Record<TelephonyProvider, string>>;

/** The admin API. It is not served if there are no tokens. */
export interface AdminConfig {
  host: string;
  port: number;
  tokens: readonly AdminToken[];
}

export interface ControlPlaneConfig {
  port: number;
  /** Several control-planes on this machine share the port. */
  portIsShared: boolean;
  metricsPort: number;
  admin: AdminConfig;
  /** Number of trusted proxies in front of the service, each of which appends to `X-Forwarded-For`. */
  trustedProxies: number;
  databaseUrl: string;
  databaseQueryLimitMs: number;
  /** URLs of the read replicas. */
  databaseReadUrls: readonly string[];
  /** Maximum replication lag of a replica that serves reports. */
  databaseReadMaxLagMs: number;
  /** One NATS server, or several, separated by commas. */
  natsUrl: string;
  /** Copies of each stream and bucket on the NATS servers. */
  natsReplicas: number;
  redisUrl: string;
  /** Public URL of this API. */
  publicUrl: string;
  /** Public URL of the media-workers. */
  mediaPublicUrl: string;
  /** Directory of the built console. */
  consoleDirectory: string;
  /** Directory of the built documentation site. */
  docsSiteDirectory: string;
  /** Newest first. */
  joinTokenSecrets: readonly string[];
  /** Keys for stored secrets, newest first. */
  encryptionKeys: readonly string[];
  poolSize: number;
  /** How long a disconnected client may take to return. */
  reconnectGraceMs: number;
  objectStorage: ObjectStorageConfig;
  outbound: OutboundConfig;
  /** Null if corpora are searched by full text only. */
  embeddings: EmbeddingConfig | null;
  rerank: RerankConfig | null;
  /** Memory for vectors of corpora. */
  vectorCacheMb: number;
  /** Providers for voice previews. */
  providers: ProviderConfig;
  /** Base URLs of the telephony providers' APIs. */
  telephonyUrls: TelephonyUrls;
  planLimits: LimitsByPlan;
  /** Parent domain of the accounts' SIP domains. */
  sipDomain: string;
  /** Whether media-workers make SIP calls over TLS. */
  hasSipTls: boolean;
  /** Model names that calls may use. */
  models: readonly string[];
  /** Alternative names that calls may use for catalogue voices. */
  voiceAliases: VoiceAliases;
  tracing: TracingConfig | null;
  log: LoggerOptions;
}

/** Default output folders of setup and of the image build. */
const BUILT_CONSOLE = fileURLToPath(new URL('../../console/dist', import.meta.url));
const BUILT_DOCS_SITE = fileURLToPath(new URL('../../docs-site/dist', import.meta.url));

const HOST_NAME = /^(?=.{1,200}$)[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/iu;

const { PORT, MEDIA_PORT, METRICS_PORT, MEDIA_PUBLIC_URL, TRUSTED_PROXIES } = SHARED_VARIABLES;
const { NATS_URL, NATS_REPLICAS, ADMIN_PORT } = SHARED_VARIABLES;
const { DATABASE_URL, DATABASE_QUERY_LIMIT_MS, REDIS_URL, JOIN_TOKEN_SECRET, RECONNECT_GRACE_MS, SIP_TLS } =
  SHARED_VARIABLES;

const VARIABLES = {
  ...{ PORT, MEDIA_PORT, METRICS_PORT, MEDIA_PUBLIC_URL, TRUSTED_PROXIES },
  ...{ NATS_URL, NATS_REPLICAS, ADMIN_PORT },
  ...{ DATABASE_URL, DATABASE_QUERY_LIMIT_MS, REDIS_URL, JOIN_TOKEN_SECRET, RECONNECT_GRACE_MS, SIP_TLS },
  PORT_IS_SHARED: boolean({
    default: false,
    meaning: 'Lets several control-planes of this machine listen on `PORT`.',
  }),
  PUBLIC_URL: publicUrl({
    protocols: ['http:', 'https:'],
    mayHavePath: false,
    unset: '`http://localhost:$PORT`',
    meaning: 'URL at which clients reach the API.',
  }),
  ADMIN_TOKENS: parsed<readonly AdminToken[], { default: readonly AdminToken[] }>({
    parse: parseAdminTokens,
    default: [],
    defaultText: 'no admin API',
    placeholder: [],
    meaning: 'Administrators: `name:hash` pairs, separated by commas.',
  }),
  ADMIN_HOST: text({ default: '127.0.0.1', meaning: 'Address at which the admin API listens.' }),
  CONSOLE_DIRECTORY: text({
    unset: '`services/console/dist`',
    meaning: 'Folder of the built console; the launcher sets it.',
  }),
  DATABASE_POOL_SIZE: integer({
    default: 10,
    min: 1,
    max: 200,
    meaning: 'Maximum number of connections to PostgreSQL.',
  }),
  DATABASE_READ_URL: parsed({
    parse: readReplicaUrls,
    placeholder: [],
    default: [],
    defaultText: 'none',
    meaning: 'Read replicas, in the form of `DATABASE_URL`.',
  }),
  DATABASE_READ_MAX_LAG_MS: integer({
    default: 10_000,
    min: 2000,
    max: 600_000,
    meaning: 'Maximum age of the data in reports.',
  }),
  VECTOR_CACHE_MB: integer({
    default: 512,
    min: 16,
    max: 16_384,
    meaning: 'Memory that each process may use for embeddings of corpora.',
  }),
  SIP_DOMAIN: parsed<string, { default: string }>({
    parse: hostName,
    default: 'sip.localhost',
    defaultText: '`sip.localhost`',
    placeholder: '',
    meaning: "Parent of the accounts' SIP domains, `<account id>.$SIP_DOMAIN`.",
  }),
};

/** Collects issues in `env`; the caller must call `env.finish()`. */
export function readControlPlaneConfig(env: EnvReader): ControlPlaneConfig {
  const values = env.read(VARIABLES);
  const providers = readProviderConfig(env);
  return {
    port: values.PORT,
    portIsShared: values.PORT_IS_SHARED,
    metricsPort: values.METRICS_PORT,
    admin: { host: values.ADMIN_HOST, port: values.ADMIN_PORT, tokens: values.ADMIN_TOKENS },
    trustedProxies: values.TRUSTED_PROXIES,
    databaseUrl: values.DATABASE_URL,
    databaseQueryLimitMs: values.DATABASE_QUERY_LIMIT_MS,
    databaseReadUrls: values.DATABASE_READ_URL,
    databaseReadMaxLagMs: values.DATABASE_READ_MAX_LAG_MS,
    natsUrl: values.NATS_URL,
    natsReplicas: values.NATS_REPLICAS,
    redisUrl: values.REDIS_URL,
    publicUrl: values.PUBLIC_URL ?? `http://localhost:${values.PORT}`,
    mediaPublicUrl: values.MEDIA_PUBLIC_URL ?? `ws://localhost:${values.MEDIA_PORT}`,
    consoleDirectory: values.CONSOLE_DIRECTORY ?? BUILT_CONSOLE,
    docsSiteDirectory: BUILT_DOCS_SITE,
    joinTokenSecrets: values.JOIN_TOKEN_SECRET,
    encryptionKeys: readEncryptionKeys(env),
    poolSize: values.DATABASE_POOL_SIZE,
    reconnectGraceMs: reconnectGraceMs(values),
    objectStorage: readObjectStorageConfig(env),
    outbound: providers.outbound,
    embeddings: readEmbeddingConfig(env),
    rerank: readRerankConfig(env),
    vectorCacheMb: values.VECTOR_CACHE_MB,
    providers,
    telephonyUrls: readTelephonyUrls(env),
    planLimits: readPlanLimits(env),
    sipDomain: values.SIP_DOMAIN,
    hasSipTls: values.SIP_TLS,
    models: modelNames,
    voiceAliases: readVoiceAliases(env),
    tracing: readTracingConfig(env, 'control-plane'),
    log: readLoggerOptions(env, 'control-plane'),
  };
}

/** Configuration of the process that prepares the database. */
export interface PrepareDatabaseConfig {
  databaseUrl: string;
  /** The engines whose voices the catalogue lists. */
  providers: ProviderConfig;
}

/** Collects issues in `env`; the caller must call `env.finish()`. */
export function readPrepareDatabaseConfig(env: EnvReader): PrepareDatabaseConfig {
  return { databaseUrl: env.read({ DATABASE_URL }).DATABASE_URL, providers: readProviderConfig(env) };
}

/** Collects issues in `env`; the caller must call `env.finish()`. */
export function readResealConfig(env: EnvReader): Pick<ControlPlaneConfig, 'databaseUrl' | 'encryptionKeys'> {
  return { databaseUrl: env.read({ DATABASE_URL }).DATABASE_URL, encryptionKeys: readEncryptionKeys(env) };
}

function hostName(name: string): string {
  if (HOST_NAME.test(name)) return name;
  throw new InvalidVariableError(`must be a host name, not "${name}"`);
}

export function readTelephonyUrls(env: EnvReader): TelephonyUrls {
  return ofEachTelephonyAccount(({ name, account: { endpoint } }) =>
    env.value(
      endpoint.variable,
      url({ protocols: ['http:', 'https:'], default: endpoint.url, meaning: `URL of ${name}.` }),
    ),
  );
}
