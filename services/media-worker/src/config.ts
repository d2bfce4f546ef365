import { EnvReader, newId, type LoggerOptions } from '@calls/foundation';
import { readObjectStorageConfig, type ObjectStorageConfig } from '@calls/object-storage';
import { readProviderConfig, type ProviderConfig } from '@calls/providers';

export interface MediaWorkerConfig {
  /** New for each start: a lease of an earlier life must not look like ours. */
  workerId: string;
  mediaPort: number;
  metricsPort: number;
  /** Where other workers reach this one's join server. */
  workerUrl: string;
  natsUrl: string;
  joinTokenSecret: string;
  /** Calls this worker holds at most, joined or waiting for their client. */
  capacity: number;
  /** Answers are begun while the user's turn may still go on. */
  speculation: boolean;
  /** How long calls may go on after SIGTERM. */
  drainLimitMs: number;
  objectStorage: ObjectStorageConfig;
  /** Whether what calls decide is written down for replay. */
  keepsTraces: boolean;
  providers: ProviderConfig;
  log: LoggerOptions;
}

/** Throws a ConfigError that names every fault. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): MediaWorkerConfig {
  const env = new EnvReader(environment);
  const mediaPort = env.integer('MEDIA_PORT', { fallback: 8081, min: 0, max: 65_535 });
  const metricsPort = env.integer('METRICS_PORT', { fallback: 9464, min: 0, max: 65_534 });
  const config: MediaWorkerConfig = {
    workerId: `${env.string('WORKER_ID', 'worker')}-${newId()}`,
    mediaPort,
    metricsPort: metricsPort === 0 ? 0 : metricsPort + 1,
    workerUrl: env.url('WORKER_URL', ['ws:', 'wss:'], `ws://localhost:${mediaPort}`),
    natsUrl: env.url('NATS_URL', ['nats:', 'tls:'], 'nats://localhost:4222'),
    joinTokenSecret: env.string('JOIN_TOKEN_SECRET'),
    capacity: env.integer('MEDIA_CAPACITY', { fallback: 100, min: 1, max: 10_000 }),
    speculation: env.boolean('SPECULATION', true),
    drainLimitMs: env.integer('DRAIN_LIMIT_MS', { fallback: 3000, min: 0, max: 86_400_000 }),
    objectStorage: readObjectStorageConfig(env),
    keepsTraces: env.boolean('CALL_TRACES', false),
    providers: readProviderConfig(env),
    log: {
      service: 'media-worker',
      level: env.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
      logPii: env.boolean('LOG_PII', false),
    },
  };
  env.finish();
  return config;
}
