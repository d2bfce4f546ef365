import { fileURLToPath } from 'node:url';
import type { EnvReader } from '@calls/foundation/env-reader';
import { readObjectStorageConfig, type ObjectStorageConfig } from '@calls/object-storage/config';
import type { OutboundConfig } from '@calls/outbound-http/config';
import { readProviderConfig, type ProviderConfig } from '@calls/providers/config/provider-config';
import { readVoiceAliases, type VoiceAliases } from '@calls/providers/config/voice-aliases';
import { readPlanLimits, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import { readEncryptionKeys } from '@calls/secrets/secret-box/encryption-keys';
import { readTracingConfig, type TracingConfig } from '@calls/telemetry/tracing/tracing-config';
import { readTelephonyUrls, type TelephonyUrls } from './telephony/telephony-urls.ts';

export interface ControlPlaneConfig {
  port: number;
  /** Several control-planes on this machine share the port. */
  portIsShared: boolean;
  metricsPort: number;
  /** Number of trusted proxies in front of the service, each of which appends to `X-Forwarded-For`. */
  trustedProxies: number;
  databaseUrl: string;
  natsUrl: string;
  redisUrl: string;
  /** Public URL of this API. */
  publicUrl: string;
  /** Public URL of the media workers. */
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
  objectStorage: ObjectStorageConfig;
  outbound: OutboundConfig;
  /** Providers for voice previews. */
  providers: ProviderConfig;
  /** Base URLs of the telephony providers' APIs. */
  telephonyUrls: TelephonyUrls;
  planLimits: LimitsByPlan;
  /** Parent domain of the accounts' SIP domains. */
  sipDomain: string;
  /** Model names that calls may use. */
  models: readonly string[];
  /** Alternative names that calls may use for catalogue voices. */
  voiceAliases: VoiceAliases;
  tracing: TracingConfig | null;
}

/** Default output folders of setup and of the image build. */
const BUILT_CONSOLE = fileURLToPath(new URL('../../console/dist', import.meta.url));
const BUILT_DOCS_SITE = fileURLToPath(new URL('../../docs-site/dist', import.meta.url));

const HOST_NAME = /^(?=.{1,200}$)[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/iu;

/** Reports invalid values to `env`; the caller calls `finish`. */
export function readControlPlaneConfig(env: EnvReader, models: readonly string[]): ControlPlaneConfig {
  const port = env.integer('PORT', { fallback: 8080, min: 0, max: 65_535 });
  const mediaPort = env.integer('MEDIA_PORT', { fallback: 8081, min: 0, max: 65_535 });
  const sipDomain = env.string('SIP_DOMAIN', 'sip.localhost');
  if (!HOST_NAME.test(sipDomain)) env.fault('SIP_DOMAIN must be a host name');
  const providers = readProviderConfig(env);
  return {
    port,
    portIsShared: env.boolean('PORT_IS_SHARED', false),
    metricsPort: env.integer('METRICS_PORT', { fallback: 9464, min: 0, max: 65_535 }),
    trustedProxies: env.integer('TRUSTED_PROXIES', { fallback: 0, min: 0, max: 10 }),
    databaseUrl: env.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    natsUrl: env.string('NATS_URL'),
    redisUrl: env.url('REDIS_URL', ['redis:', 'rediss:']),
    publicUrl: env.url('PUBLIC_URL', ['http:', 'https:'], `http://localhost:${port}`),
    mediaPublicUrl: env.url('MEDIA_PUBLIC_URL', ['ws:', 'wss:'], `ws://localhost:${mediaPort}`),
    consoleDirectory: env.string('CONSOLE_DIRECTORY', BUILT_CONSOLE),
    docsSiteDirectory: BUILT_DOCS_SITE,
    joinTokenSecrets: env.secrets('JOIN_TOKEN_SECRET'),
    encryptionKeys: readEncryptionKeys(env),
    poolSize: env.integer('DATABASE_POOL_SIZE', { fallback: 10, min: 1, max: 200 }),
    objectStorage: readObjectStorageConfig(env),
    outbound: providers.outbound,
    providers,
    telephonyUrls: readTelephonyUrls(env),
    planLimits: readPlanLimits(env),
    sipDomain,
    models,
    voiceAliases: readVoiceAliases(env),
    tracing: readTracingConfig(env, 'control-plane'),
  };
}
