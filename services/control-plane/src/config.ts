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
  /** Several control-planes of this machine listen to it. */
  portIsShared: boolean;
  metricsPort: number;
  /** Proxies in front of us, each of which adds the address that it was asked from to `X-Forwarded-For`. */
  trustedProxies: number;
  databaseUrl: string;
  natsUrl: string;
  redisUrl: string;
  /** Where clients reach this API. */
  publicUrl: string;
  /** Where clients reach the media workers. */
  mediaPublicUrl: string;
  /** Of the built console. */
  consoleDirectory: string;
  /** Of the built documentation site. */
  docsSiteDirectory: string;
  /** Newest first. */
  joinTokenSecrets: readonly string[];
  /** For stored secrets, newest first. */
  encryptionKeys: readonly string[];
  poolSize: number;
  objectStorage: ObjectStorageConfig;
  outbound: OutboundConfig;
  /** For previews of voices. */
  providers: ProviderConfig;
  /** Of the providers that phone calls are ordered from. */
  telephonyUrls: TelephonyUrls;
  planLimits: LimitsByPlan;
  /** Each account's own SIP domain is under it. */
  sipDomain: string;
  /** What calls may name as their model. */
  models: readonly string[];
  /** By names that calls may use for voices of the catalogue. */
  voiceAliases: VoiceAliases;
  tracing: TracingConfig | null;
}

/** Where the set-up and the image's build put them. */
const BUILT_CONSOLE = fileURLToPath(new URL('../../console/dist', import.meta.url));
const BUILT_DOCS_SITE = fileURLToPath(new URL('../../docs-site/dist', import.meta.url));

const HOST_NAME = /^(?=.{1,200}$)[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/iu;

/** Faults are collected in `env`; its owner calls `finish`. */
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
