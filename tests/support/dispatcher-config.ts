import { fork, type ChildProcess } from 'node:child_process';
import type { DispatcherConfig } from '@calls/dispatcher/config';
import { EnvReader } from '@calls/foundation/env-reader';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { serviceCompileCache, serviceModule } from './build-services.ts';
import { ENCRYPTION_KEY, JOIN_TOKEN_SECRETS, type ControlPlaneHarness } from './control-plane-harness.ts';
import {
  LIFTED_LIMITS,
  LIFTED_LIMITS_ENV,
  LONG_ENGINE_LIMITS_ENV,
  LONG_QUERY_LIMIT_MS,
} from './lifted-limits.ts';

/** Configuration of a dispatcher that uses the servers of the harness. */
export function dispatcherConfig(
  harness: ControlPlaneHarness,
  overrides: Partial<DispatcherConfig> = {},
): DispatcherConfig {
  return {
    metricsPort: 0,
    databaseUrl: harness.postgres.url,
    databaseQueryLimitMs: LONG_QUERY_LIMIT_MS,
    redisUrl: harness.redis.url,
    concurrency: 2,
    providers: readProviderConfig(new EnvReader(LONG_ENGINE_LIMITS_ENV)),
    embeddings: null,
    voiceAliases: new Map([['Mark', 'Alba']]),
    objectStorage: { kind: 'folder', directory: harness.objectDirectory },
    outbound: { allowPrivateNetworks: ['127.0.0.1/32'] },
    encryptionKeys: [ENCRYPTION_KEY],
    planLimits: LIFTED_LIMITS,
    auditLogRetentionDays: 30,
    mediaPublicUrl: 'ws://media.test:1',
    joinTokenSecrets: JOIN_TOKEN_SECRETS,
    hasSipTls: false,
    receiverConcurrency: 16,
    firstWebhookRetryMs: 30_000,
    tracing: null,
    log: { service: 'dispatcher', level: 'silent', logPii: false },
    ...overrides,
  };
}

const forked: ChildProcess[] = [];

/** Kills dispatchers that a failed test left. Call it in `afterAll` of files that fork dispatchers. */
export function killDispatchers(): void {
  for (const child of forked.splice(0)) child.kill('SIGKILL');
}

/** Starts a dispatcher in its own process with the servers of the harness. */
export function forkDispatcher(
  harness: Pick<ControlPlaneHarness, 'postgres' | 'redis' | 'objectDirectory'>,
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const child = fork(serviceModule('services/dispatcher/src/main.ts'), [], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: serviceCompileCache(),
      DATABASE_URL: harness.postgres.url,
      DATABASE_QUERY_LIMIT_MS: String(LONG_QUERY_LIMIT_MS),
      REDIS_URL: harness.redis.url,
      ENCRYPTION_KEY,
      JOIN_TOKEN_SECRET: JOIN_TOKEN_SECRETS.join(','),
      OBJECT_STORAGE_DIR: harness.objectDirectory,
      OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
      METRICS_PORT: '0',
      LOG_LEVEL: 'silent',
      ...LIFTED_LIMITS_ENV,
      ...LONG_ENGINE_LIMITS_ENV,
      ...env,
    },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  forked.push(child);
  return child;
}
