import { EnvReader } from '@calls/foundation/env-reader';
import { newId } from '@calls/foundation/ids';
import type { LoggerOptions } from '@calls/foundation/logger';
import { readObjectStorageConfig, type ObjectStorageConfig } from '@calls/object-storage/config';
import { readProviderConfig, type ProviderConfig } from '@calls/providers/config/provider-config';
import { readAdmissionConfig, type AdmissionConfig } from './admission/admission-config.ts';
import { readTracingConfig, type TracingConfig } from '@calls/telemetry/tracing/tracing-config';
import { readSipConfig, type SipConfig } from './sip/sip-config.ts';
import { readRtcConfig, type RtcConfig } from './web-rtc/web-rtc-config.ts';

export interface MediaWorkerConfig {
  /** New for each start: a lease of an earlier life must not look like ours. */
  workerId: string;
  mediaPort: number;
  metricsPort: number;
  /** Several workers of this machine listen to `mediaPort`. */
  mediaPortIsShared: boolean;
  /** For other workers, whose clients' calls are here; 0: any free one. */
  workerPort: number;
  /** Where they reach it; null: by `workerPort` on this machine. */
  workerUrl: string | null;
  natsUrl: string;
  /** Newest first. */
  joinTokenSecrets: readonly string[];
  admission: AdmissionConfig;
  rtc: RtcConfig;
  sip: SipConfig;
  /** Answers are begun while the user's turn may still go on. */
  speculation: boolean;
  /** How long calls may go on after SIGTERM. */
  drainLimitMs: number;
  /** In front of MEDIA_PORT: how many of them add to `X-Forwarded-For`. */
  trustedProxies: number;
  /** How long a client whose connection was lost may take to come back. */
  reconnectGraceMs: number;
  objectStorage: ObjectStorageConfig;
  /** Whether what calls decide is written down for replay. */
  keepsTraces: boolean;
  providers: ProviderConfig;
  tracing: TracingConfig | null;
  log: LoggerOptions;
}

/** Throws a ConfigError that names every fault. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): MediaWorkerConfig {
  const env = new EnvReader(environment);
  const mediaPort = env.integer('MEDIA_PORT', { fallback: 8081, min: 0, max: 65_535 });
  const metricsPort = env.integer('METRICS_PORT', { fallback: 9464, min: 0, max: 65_534 });
  const admission = readAdmissionConfig(env);
  const config: MediaWorkerConfig = {
    workerId: `${env.string('WORKER_ID', 'worker')}-${newId()}`,
    mediaPort,
    metricsPort: metricsPort === 0 ? 0 : metricsPort + 1,
    mediaPortIsShared: env.boolean('MEDIA_PORT_IS_SHARED', false),
    trustedProxies: env.integer('TRUSTED_PROXIES', { fallback: 0, min: 0, max: 10 }),
    workerPort: env.integer('WORKER_PORT', { fallback: 0, min: 0, max: 65_535 }),
    workerUrl: env.url('WORKER_URL', ['ws:', 'wss:'], '') || null,
    natsUrl: env.url('NATS_URL', ['nats:', 'tls:'], 'nats://localhost:4222'),
    joinTokenSecrets: env.secrets('JOIN_TOKEN_SECRET'),
    admission,
    rtc: readRtcConfig(env, admission.workersHere),
    sip: readSipConfig(env),
    speculation: env.boolean('SPECULATION', true),
    drainLimitMs: env.integer('DRAIN_LIMIT_MS', { fallback: 3000, min: 0, max: 86_400_000 }),
    reconnectGraceMs: env.integer('RECONNECT_GRACE_MS', { fallback: 10_000, min: 0, max: 120_000 }),
    objectStorage: readObjectStorageConfig(env),
    keepsTraces: env.boolean('CALL_TRACES', false),
    providers: readProviderConfig(env),
    tracing: readTracingConfig(env, 'media-worker'),
    log: {
      service: 'media-worker',
      level: env.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
      logPii: env.boolean('LOG_PII', false),
    },
  };
  env.finish();
  return config;
}
