import type { EnvReader } from '@calls/foundation/env-reader';
import { readObjectStorageConfig, type ObjectStorageConfig } from '@calls/object-storage/config';
import { readOutboundConfig, type OutboundConfig } from '@calls/outbound-http/config';
import { readProviderConfig, type ProviderConfig } from '@calls/providers/config/provider-config';
import { readVoiceAliases, type VoiceAliases } from '@calls/providers/config/voice-aliases';
import { readPlanLimits, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import { readEncryptionKeys } from '@calls/secrets/secret-box/encryption-keys';
import { readTracingConfig, type TracingConfig } from '@calls/telemetry/tracing/tracing-config';

export interface DispatcherConfig {
  metricsPort: number;
  databaseUrl: string;
  redisUrl: string;
  /** Maximum number of jobs of each kind that run at the same time. */
  concurrency: number;
  providers: ProviderConfig;
  /** Alternative names that calls may use for catalogue voices. */
  voiceAliases: VoiceAliases;
  objectStorage: ObjectStorageConfig;
  /** Network destinations that crawls may reach. */
  outbound: OutboundConfig;
  /** Keys for stored secrets, newest first. */
  encryptionKeys: readonly string[];
  /** Limits that scheduled calls count against. */
  planLimits: LimitsByPlan;
  /** Public URL of the media workers, included in call events. */
  mediaPublicUrl: string;
  joinTokenSecrets: readonly string[];
  /** Maximum number of webhook and callback receivers that are served at the same time. */
  receiverConcurrency: number;
  /** The pause after the first failed delivery of a webhook; it doubles with each further failure. */
  firstWebhookRetryMs: number;
  tracing: TracingConfig | null;
}

/** Collects issues in `env`; the caller calls `finish`. */
export function readDispatcherConfig(env: EnvReader): DispatcherConfig {
  const mediaPort = env.integer('MEDIA_PORT', { fallback: 8081, min: 0, max: 65_535 });
  return {
    metricsPort: ownMetricsPort(env.integer('METRICS_PORT', { fallback: 9464, min: 0, max: 65_533 })),
    databaseUrl: env.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: env.url('REDIS_URL', ['redis:', 'rediss:']),
    concurrency: env.integer('JOB_CONCURRENCY', { fallback: 8, min: 1, max: 1000 }),
    providers: readProviderConfig(env),
    voiceAliases: readVoiceAliases(env),
    objectStorage: readObjectStorageConfig(env),
    outbound: readOutboundConfig(env),
    encryptionKeys: readEncryptionKeys(env),
    planLimits: readPlanLimits(env),
    mediaPublicUrl: env.url('MEDIA_PUBLIC_URL', ['ws:', 'wss:'], `ws://localhost:${mediaPort}`),
    joinTokenSecrets: env.secrets('JOIN_TOKEN_SECRET'),
    receiverConcurrency: env.integer('WEBHOOK_CONCURRENCY', { fallback: 64, min: 2, max: 1000 }),
    firstWebhookRetryMs: env.integer('WEBHOOK_RETRY_MS', { fallback: 30_000, min: 100, max: 3_600_000 }),
    tracing: readTracingConfig(env, 'dispatcher'),
  };
}

/** The metrics port follows those of the control-plane and the media worker; 0 selects any free port. */
function ownMetricsPort(base: number): number {
  return base === 0 ? 0 : base + 2;
}
