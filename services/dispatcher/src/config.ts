import type { EnvReader } from '@calls/foundation/env-reader';
import type { LoggerOptions } from '@calls/foundation/logger';
import { readLoggerOptions, SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { integer } from '@calls/foundation/variable';
import { readObjectStorageConfig, type ObjectStorageConfig } from '@calls/object-storage/config';
import { readOutboundConfig, type OutboundConfig } from '@calls/outbound-http/config';
import { readProviderConfig, type ProviderConfig } from '@calls/providers/config/provider-config';
import { readEmbeddingConfig, type EmbeddingConfig } from '@calls/providers/embeddings/embedding-config';
import { readVoiceAliases, type VoiceAliases } from '@calls/providers/config/voice-aliases';
import { readPlanLimits, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import { readEncryptionKeys } from '@calls/secrets/secret-box/encryption-keys';
import { readTracingConfig, type TracingConfig } from '@calls/telemetry/tracing/tracing-config';

export interface DispatcherConfig {
  metricsPort: number;
  databaseUrl: string;
  databaseQueryLimitMs: number;
  redisUrl: string;
  /** Maximum number of jobs of each kind that run at the same time. */
  concurrency: number;
  providers: ProviderConfig;
  /** Null if passages are not embedded. */
  embeddings: EmbeddingConfig | null;
  /** Alternative names that calls may use for catalogue voices. */
  voiceAliases: VoiceAliases;
  objectStorage: ObjectStorageConfig;
  /** Network destinations that crawls may reach. */
  outbound: OutboundConfig;
  /** Keys for stored secrets, newest first. */
  encryptionKeys: readonly string[];
  /** Limits that scheduled calls count against. */
  planLimits: LimitsByPlan;
  /** Public URL of the media-workers, included in call events. */
  mediaPublicUrl: string;
  joinTokenSecrets: readonly string[];
  /** Whether media-workers make SIP calls over TLS. */
  hasSipTls: boolean;
  /** Maximum number of webhook and callback receivers that are served at the same time. */
  receiverConcurrency: number;
  /** How long entries of the audit log are retained. */
  auditLogRetentionDays: number;
  /** The pause after the first failed delivery of a webhook. It doubles with each further failure. */
  firstWebhookRetryMs: number;
  tracing: TracingConfig | null;
  log: LoggerOptions;
}

const { MEDIA_PORT, METRICS_PORT, MEDIA_PUBLIC_URL } = SHARED_VARIABLES;
const { DATABASE_URL, DATABASE_QUERY_LIMIT_MS, REDIS_URL, JOIN_TOKEN_SECRET, SIP_TLS } = SHARED_VARIABLES;

const VARIABLES = {
  ...{ MEDIA_PORT, METRICS_PORT, MEDIA_PUBLIC_URL },
  ...{ DATABASE_URL, DATABASE_QUERY_LIMIT_MS, REDIS_URL, JOIN_TOKEN_SECRET, SIP_TLS },
  JOB_CONCURRENCY: integer({
    default: 8,
    min: 1,
    max: 1000,
    meaning: 'Maximum number of concurrent jobs of each kind.',
  }),
  WEBHOOK_CONCURRENCY: integer({
    default: 64,
    min: 2,
    max: 1000,
    meaning: 'Maximum number of webhooks and callback origins that get deliveries at the same time.',
  }),
  WEBHOOK_RETRY_MS: integer({
    default: 30_000,
    min: 100,
    max: 3_600_000,
    meaning: 'Pause after the first failed delivery; it doubles with each further one.',
  }),
  AUDIT_LOG_RETENTION_DAYS: integer({
    default: 730,
    min: 30,
    max: 36_500,
    meaning: 'How long the audit log of the admin API is retained.',
  }),
};

/** Collects issues in `env`; the caller must call `env.finish()`. */
export function readDispatcherConfig(env: EnvReader): DispatcherConfig {
  const values = env.read(VARIABLES);
  return {
    metricsPort: ownMetricsPort(values.METRICS_PORT),
    databaseUrl: values.DATABASE_URL,
    databaseQueryLimitMs: values.DATABASE_QUERY_LIMIT_MS,
    redisUrl: values.REDIS_URL,
    concurrency: values.JOB_CONCURRENCY,
    providers: readProviderConfig(env),
    embeddings: readEmbeddingConfig(env),
    voiceAliases: readVoiceAliases(env),
    objectStorage: readObjectStorageConfig(env),
    outbound: readOutboundConfig(env),
    encryptionKeys: readEncryptionKeys(env),
    planLimits: readPlanLimits(env),
    mediaPublicUrl: values.MEDIA_PUBLIC_URL ?? `ws://localhost:${values.MEDIA_PORT}`,
    joinTokenSecrets: values.JOIN_TOKEN_SECRET,
    hasSipTls: values.SIP_TLS,
    receiverConcurrency: values.WEBHOOK_CONCURRENCY,
    auditLogRetentionDays: values.AUDIT_LOG_RETENTION_DAYS,
    firstWebhookRetryMs: values.WEBHOOK_RETRY_MS,
    tracing: readTracingConfig(env, 'dispatcher'),
    log: readLoggerOptions(env, 'dispatcher'),
  };
}

/** The metrics port follows those of the control-plane and the media-worker; 0 selects any free port. */
function ownMetricsPort(base: number): number {
  return base === 0 ? 0 : base + 2;
}
