import { join } from 'node:path';
import type { EnvReader } from '@calls/foundation/env-reader';
import { SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { integer, optional, text, within } from '@calls/foundation/variable';
import { readProviderConfig, type ProviderConfig } from '@calls/providers/config/provider-config';
import {
  MAX_METRICS_PORT,
  readRtcPorts,
  readSipPorts,
  readStackSize,
  type StackPorts,
  type StackSize,
} from './stack-size.ts';
import { DEFAULT_START_LIMIT_MS } from './start-progress.ts';

export interface LauncherConfig {
  ports: Omit<StackPorts, 'dev'>;
  /** Port of the first debugger of `npm run dev`. */
  inspect: number;
  size: StackSize;
  /** How long each part may take to start. */
  startLimitMs: number;
  dataDir: string;
  /** Servers that the launcher does not start; undefined: it does. */
  overrides: { databaseUrl?: string; redisUrl?: string; natsUrl?: string };
  providers: ProviderConfig;
}

export const DEFAULT_DATA_DIR = join(import.meta.dirname, '../../../.data');
const OWN_SERVER = "the launcher's own server";

const VARIABLES = {
  PORT: within(SHARED_VARIABLES.PORT, 1, 65_535),
  MEDIA_PORT: within(SHARED_VARIABLES.MEDIA_PORT, 1, 65_535),
  METRICS_PORT: within(SHARED_VARIABLES.METRICS_PORT, 1, MAX_METRICS_PORT),
  ADMIN_PORT: within(SHARED_VARIABLES.ADMIN_PORT, 1, 65_535),
  INSPECT_PORT: integer({
    default: 9229,
    min: 1,
    max: MAX_METRICS_PORT,
    meaning: 'First debugger port of `npm run dev`.',
  }),
  START_LIMIT_MS: integer({
    default: DEFAULT_START_LIMIT_MS,
    min: 1000,
    max: 86_400_000,
    meaning: 'How long a server or service may take to start.',
  }),
  DATA_DIR: text({ default: DEFAULT_DATA_DIR, meaning: SHARED_VARIABLES.DATA_DIR.meaning }),
  DATABASE_URL: optional(SHARED_VARIABLES.DATABASE_URL, OWN_SERVER),
  REDIS_URL: optional(SHARED_VARIABLES.REDIS_URL, OWN_SERVER),
  NATS_URL: optional(SHARED_VARIABLES.NATS_URL, OWN_SERVER),
};

/** Issues are collected in `env`; the caller calls `finish`. */
export function readLauncherConfig(env: EnvReader): LauncherConfig {
  const values = env.read(VARIABLES);
  const size = readStackSize(env);
  const { DATABASE_URL, REDIS_URL, NATS_URL } = values;
  return {
    ports: {
      api: values.PORT,
      media: values.MEDIA_PORT,
      metrics: values.METRICS_PORT,
      admin: values.ADMIN_PORT,
      ...readRtcPorts(env, size['media-worker']),
      ...readSipPorts(env),
    },
    inspect: values.INSPECT_PORT,
    size,
    startLimitMs: values.START_LIMIT_MS,
    dataDir: values.DATA_DIR,
    overrides: {
      ...(DATABASE_URL !== null && { databaseUrl: DATABASE_URL }),
      ...(REDIS_URL !== null && { redisUrl: REDIS_URL }),
      ...(NATS_URL !== null && { natsUrl: NATS_URL }),
    },
    providers: readProviderConfig(env),
  };
}
