import type { DispatcherConfig } from '@calls/dispatcher';
import { EnvReader } from '@calls/foundation';
import { readProviderConfig } from '@calls/providers';
import { ENCRYPTION_KEY, JOIN_TOKEN_SECRETS, type ControlPlaneHarness } from './control-plane-harness.ts';
import { LIFTED_LIMITS } from './lifted-limits.ts';

/** Of a dispatcher beside the harness' control-plane. */
export function dispatcherConfig(
  harness: ControlPlaneHarness,
  overrides: Partial<DispatcherConfig> = {},
): DispatcherConfig {
  return {
    metricsPort: 0,
    databaseUrl: harness.postgres.url,
    redisUrl: harness.redis.url,
    concurrency: 2,
    providers: readProviderConfig(new EnvReader({})),
    objectStorage: { directory: harness.objectDirectory },
    outbound: { allowPrivateNetworks: ['127.0.0.1/32'] },
    encryptionKeys: [ENCRYPTION_KEY],
    planLimits: LIFTED_LIMITS,
    mediaPublicUrl: 'ws://media.test:1',
    joinTokenSecrets: JOIN_TOKEN_SECRETS,
    receiverConcurrency: 16,
    firstWebhookRetryMs: 30_000,
    tracing: null,
    ...overrides,
  };
}
