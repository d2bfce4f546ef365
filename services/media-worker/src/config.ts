import type { EnvReader } from '@calls/foundation/env-reader';
import { readLoggerOptions, reconnectGraceMs, SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { boolean, integer, text, url } from '@calls/foundation/variable';
import { newId } from '@calls/foundation/ids';
import type { LoggerOptions } from '@calls/foundation/logger';
import { readObjectStorageConfig, type ObjectStorageConfig } from '@calls/object-storage/config';
import { readProviderConfig, type ProviderConfig } from '@calls/providers/config/provider-config';
import { readTurnModelConfig, type TurnModelConfig } from '@calls/providers/end-of-turn/turn-model-config';
import { readAdmissionConfig, type AdmissionConfig } from './admission/admission-config.ts';
import { readTracingConfig, type TracingConfig } from '@calls/telemetry/tracing/tracing-config';
import { readSipConfig, type SipConfig } from './sip/sip-config.ts';
import { readRtcConfig, type RtcConfig } from './web-rtc/web-rtc-config.ts';

export interface MediaWorkerConfig {
  /** A new id for each start, so that a worker does not treat the lease of an earlier process as its own. */
  workerId: string;
  mediaPort: number;
  metricsPort: number;
  /** Whether several workers of this machine listen on `mediaPort`. */
  mediaPortIsShared: boolean;
  /** Port for joins that other workers forward; 0 uses a free one. */
  workerPort: number;
  /** URL for other workers; null: `workerPort` on this machine. */
  workerUrl: string | null;
  /** One NATS server, or several, separated by commas. */
  natsUrl: string;
  /** Copies of each stream and bucket on the NATS servers. */
  natsReplicas: number;
  /** Newest first. */
  joinTokenSecrets: readonly string[];
  admission: AdmissionConfig;
  rtc: RtcConfig;
  sip: SipConfig;
  /** Generates responses before the end of the user's turn. */
  speculation: boolean;
  /** How long calls may continue after SIGTERM. */
  drainLimitMs: number;
  /** Number of proxies in front of MEDIA_PORT that append to `X-Forwarded-For`. */
  trustedProxies: number;
  /** How long a disconnected client may take to reconnect. */
  reconnectGraceMs: number;
  objectStorage: ObjectStorageConfig;
  /** Whether the decisions of calls are recorded for replay. */
  recordsTraces: boolean;
  providers: ProviderConfig;
  /** Null if only the transcript decides whether a turn is over. */
  turnModel: TurnModelConfig | null;
  tracing: TracingConfig | null;
  log: LoggerOptions;
}

const { NATS_URL, NATS_REPLICAS } = SHARED_VARIABLES;
const { MEDIA_PORT, METRICS_PORT, TRUSTED_PROXIES, JOIN_TOKEN_SECRET, RECONNECT_GRACE_MS } = SHARED_VARIABLES;

const VARIABLES = {
  ...{ NATS_URL, NATS_REPLICAS },
  ...{ MEDIA_PORT, METRICS_PORT, TRUSTED_PROXIES, JOIN_TOKEN_SECRET, RECONNECT_GRACE_MS },
  WORKER_ID: text({ default: 'worker', meaning: "Prefix of the worker's id." }),
  MEDIA_PORT_IS_SHARED: boolean({
    default: false,
    meaning: 'Lets several media-workers of this machine listen on `MEDIA_PORT`.',
  }),
  WORKER_PORT: integer({
    default: 0,
    min: 0,
    max: 65_535,
    meaning: 'Port for other workers, to which `WORKER_URL` leads; 0 chooses a free port.',
  }),
  WORKER_URL: url({
    protocols: ['ws:', 'wss:'],
    unset: '`ws://localhost:$WORKER_PORT`',
    meaning: 'URL at which other workers reach this one.',
  }),
  SPECULATION: boolean({ default: true, meaning: "Starts responses before the end of the user's turn." }),
  DRAIN_LIMIT_MS: integer({
    default: 3000,
    min: 0,
    max: 86_400_000,
    meaning: 'Maximum time that live calls may continue after SIGTERM.',
  }),
  CALL_TRACES: boolean({
    default: false,
    meaning: 'Records the decisions about turns; the launcher sets it to true.',
  }),
};

/** Collects issues in `env`; the caller must call `env.finish()`. */
export function readMediaWorkerConfig(env: EnvReader): MediaWorkerConfig {
  const values = env.read(VARIABLES);
  const admission = readAdmissionConfig(env);
  return {
    workerId: `${values.WORKER_ID}-${newId()}`,
    mediaPort: values.MEDIA_PORT,
    metricsPort: values.METRICS_PORT === 0 ? 0 : values.METRICS_PORT + 1,
    mediaPortIsShared: values.MEDIA_PORT_IS_SHARED,
    trustedProxies: values.TRUSTED_PROXIES,
    workerPort: values.WORKER_PORT,
    workerUrl: values.WORKER_URL,
    natsUrl: values.NATS_URL,
    natsReplicas: values.NATS_REPLICAS,
    joinTokenSecrets: values.JOIN_TOKEN_SECRET,
    admission,
    rtc: readRtcConfig(env, admission.workersHere),
    sip: readSipConfig(env),
    speculation: values.SPECULATION,
    drainLimitMs: values.DRAIN_LIMIT_MS,
    reconnectGraceMs: reconnectGraceMs(values),
    objectStorage: readObjectStorageConfig(env),
    recordsTraces: values.CALL_TRACES,
    providers: readProviderConfig(env),
    turnModel: readTurnModelConfig(env),
    tracing: readTracingConfig(env, 'media-worker'),
    log: readLoggerOptions(env, 'media-worker'),
  };
}
