import { availableParallelism } from 'node:os';
import type { EnvReader } from '@calls/foundation/env-reader';
import { SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { integer, within, type PortRange } from '@calls/foundation/variable';

export type ServiceName = 'control-plane' | 'media-worker' | 'dispatcher';

/** The ports of a stack. */
export interface StackPorts {
  /** Shared by all control-planes. */
  readonly api: number;
  /** Shared by all media-workers. */
  readonly media: number;
  /** The first of three ports per round of processes: control-plane, media-worker and dispatcher. */
  readonly metrics: number;
  /** WebRTC port of the first media-worker, UDP and TCP; others follow. 0 uses free ports. */
  readonly rtc: number;
  /** The admin API on loopback, shared by all control-planes. Undefined: as ADMIN_TOKENS and ADMIN_PORT say. */
  readonly admin?: number;
  /** Number of WebRTC ports per media-worker. */
  readonly rtcEach: number;
  /** SIP port of the first media-worker, UDP and TCP; others follow. 0 uses free ports. */
  readonly sip: number;
  /** SIP port of the first media-worker for TLS; others follow. 0 uses free ports; undefined: no TLS. */
  readonly sipTls?: number;
  /** UDP ports for the media of SIP calls, divided among the media-workers. */
  readonly sipRtp: PortRange;
  readonly dev?: DevPorts;
}

/** Ports of `npm run dev`. */
export interface DevPorts {
  /** Port of the control-plane. The console's development server has the `api` port and proxies to it. */
  readonly controlPlane: number;
  /** Debugger port of the control-plane; others follow in the order of metrics ports. */
  readonly inspect: number;
}

/** Number of processes of each service. */
export type StackSize = Readonly<Record<ServiceName, number>>;

export const ONE_OF_EACH: StackSize = { 'control-plane': 1, 'media-worker': 1, dispatcher: 1 };

/** Each has a connection pool; the stack's PostgreSQL allows 200 connections. */
const MAX_WITH_DATABASE = 6;
const MAX_MEDIA_WORKERS = 32;

/** Ports from METRICS_PORT that each round of processes (one of every service) uses. */
const METRICS_PORTS_PER_ROUND = 3;
const METRICS_PLACE: StackSize = { 'control-plane': 0, 'media-worker': 1, dispatcher: 2 };

/** The highest METRICS_PORT with a port for every process. */
export const MAX_METRICS_PORT = 65_535 - MAX_MEDIA_WORKERS * METRICS_PORTS_PER_ROUND;

export const DEFAULT_SIP_RTP_PORTS: PortRange = SHARED_VARIABLES.SIP_RTP_PORTS.fallback;

const { RTC_PORT, RTC_WORKERS, MEDIASOUP_WORKER_BIN, MEDIA_WORKERS } = SHARED_VARIABLES;
const { SIP_PORT, SIP_TLS, SIP_TLS_PORT, SIP_RTP_PORTS } = SHARED_VARIABLES;

/**
 * The first WebRTC port, and the number of ports per media-worker (one per mediasoup worker). Without mediasoup there
 * are none.
 */
export function readRtcPorts(env: EnvReader, mediaWorkers: number): { rtc: number; rtcEach: number } {
  const cores = Math.floor(availableParallelism() / mediaWorkers);
  const values = env.read({ RTC_PORT, RTC_WORKERS, MEDIASOUP_WORKER_BIN });
  return {
    rtc: values.MEDIASOUP_WORKER_BIN === null ? 0 : values.RTC_PORT,
    rtcEach: values.RTC_WORKERS ?? Math.min(Math.max(1, cores), 8),
  };
}

/** The first SIP ports, and the ports for call media. Reports invalid values to `env`. */
export function readSipPorts(env: EnvReader): Pick<StackPorts, 'sip' | 'sipRtp' | 'sipTls'> {
  const last = 65_535 - MAX_MEDIA_WORKERS;
  const values = env.read({
    SIP_PORT: within(SIP_PORT, 0, last),
    SIP_TLS,
    SIP_TLS_PORT: within(SIP_TLS_PORT, 0, last),
    SIP_RTP_PORTS,
  });
  return {
    sip: values.SIP_PORT,
    ...(values.SIP_TLS && { sipTls: values.SIP_TLS_PORT }),
    sipRtp: values.SIP_RTP_PORTS,
  };
}

const SIZE_VARIABLES = {
  CONTROL_PLANES: integer({
    default: 1,
    min: 1,
    max: MAX_WITH_DATABASE,
    meaning: 'Number of control-planes to start, all on `PORT`.',
  }),
  MEDIA_WORKERS: within(MEDIA_WORKERS, 1, MAX_MEDIA_WORKERS),
  DISPATCHERS: integer({
    default: 1,
    min: 1,
    max: MAX_WITH_DATABASE,
    meaning: 'Number of dispatchers to start.',
  }),
};

/** Issues are collected in `env`; the caller calls `finish`. */
export function readStackSize(env: EnvReader): StackSize {
  const values = env.read(SIZE_VARIABLES);
  return {
    'control-plane': values.CONTROL_PLANES,
    'media-worker': values.MEDIA_WORKERS,
    dispatcher: values.DISPATCHERS,
  };
}

export interface Instance {
  readonly service: ServiceName;
  /** Name of its log and run files: the service name, with a number for further processes, as in `media-worker-2`. */
  readonly name: string;
  /** Index among the processes of its service, from 0. */
  readonly index: number;
  /** METRICS_PORT of this process; the service adds its own offset. */
  readonly metricsBase: number;
  readonly metricsPort: number;
}

/** All processes of the services, the first of each service before any second. */
export function instancesOf(size: StackSize, metricsPort: number): Instance[] {
  const rounds = Math.max(...Object.values(size));
  return Array.from({ length: rounds }, (_, round) => {
    const metricsBase = metricsPort + round * METRICS_PORTS_PER_ROUND;
    return (['control-plane', 'media-worker', 'dispatcher'] as const)
      .filter((service) => round < size[service])
      .map((service) => ({
        service,
        index: round,
        name: round === 0 ? service : `${service}-${round + 1}`,
        metricsBase,
        metricsPort: metricsBase + METRICS_PLACE[service],
      }));
  }).flat();
}
