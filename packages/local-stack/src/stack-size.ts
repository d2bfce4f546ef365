import { availableParallelism } from 'node:os';
import type { EnvReader } from '@calls/foundation/env-reader';
import { SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { integer, within, type PortRange } from '@calls/foundation/variable';

export type ServiceName = 'control-plane' | 'media-worker' | 'dispatcher';

/** The ports that a stack opens to others. */
export interface StackPorts {
  /** All control-planes listen to it. */
  readonly api: number;
  /** All media workers listen to it. */
  readonly media: number;
  /** The first of three for each round of processes: control-plane, media worker and dispatcher, in this order. */
  readonly metrics: number;
  /** Of the first media worker's WebRTC, UDP and TCP; the others' follow. 0: any free ones. */
  readonly rtc: number;
  /** How many each media worker takes. */
  readonly rtcEach: number;
  /** Of the first media worker's SIP, UDP and TCP; the others' follow. 0: any free ones. */
  readonly sip: number;
  /** Of all media workers' SIP calls, UDP: each has a part. */
  readonly sipRtp: PortRange;
  readonly dev?: DevPorts;
}

/** Ports that only `npm run dev` opens. */
export interface DevPorts {
  /** Of the control-plane: the console's development server has `api`, and proxies to it. */
  readonly controlPlane: number;
  /** Of the control-plane's debugger; those of the others follow in the order of their metrics ports. */
  readonly inspect: number;
}

/** How many processes there are of each service. */
export type StackSize = Readonly<Record<ServiceName, number>>;

export const ONE_OF_EACH: StackSize = { 'control-plane': 1, 'media-worker': 1, dispatcher: 1 };

/** Each has a pool of connections, of which the stack's PostgreSQL takes 200 in all. */
const MAX_WITH_DATABASE = 6;
const MAX_MEDIA_WORKERS = 32;

/** Ports that each round of processes (one of every service) takes from METRICS_PORT on. */
const METRICS_PORTS_PER_ROUND = 3;
const METRICS_PLACE: StackSize = { 'control-plane': 0, 'media-worker': 1, dispatcher: 2 };

/** The highest METRICS_PORT that leaves a port to every process. */
export const MAX_METRICS_PORT = 65_535 - MAX_MEDIA_WORKERS * METRICS_PORTS_PER_ROUND;

export const DEFAULT_SIP_RTP_PORTS: PortRange = SHARED_VARIABLES.SIP_RTP_PORTS.fallback;

const { RTC_PORT, RTC_WORKERS, MEDIASOUP_WORKER_BIN, SIP_PORT, SIP_RTP_PORTS, MEDIA_WORKERS } =
  SHARED_VARIABLES;

/** The first port for WebRTC, and how many each media worker takes: a mediasoup worker on each. Without mediasoup none is held. */
export function readRtcPorts(env: EnvReader, mediaWorkers: number): { rtc: number; rtcEach: number } {
  const cores = Math.floor(availableParallelism() / mediaWorkers);
  const values = env.read({ RTC_PORT, RTC_WORKERS, MEDIASOUP_WORKER_BIN });
  return {
    rtc: values.MEDIASOUP_WORKER_BIN === null ? 0 : values.RTC_PORT,
    rtcEach: values.RTC_WORKERS ?? Math.min(Math.max(1, cores), 8),
  };
}

/** The first port for SIP, and those of its calls' media. Issues are collected in `env`. */
export function readSipPorts(env: EnvReader): Pick<StackPorts, 'sip' | 'sipRtp'> {
  const values = env.read({ SIP_PORT: within(SIP_PORT, 0, 65_535 - MAX_MEDIA_WORKERS), SIP_RTP_PORTS });
  return { sip: values.SIP_PORT, sipRtp: values.SIP_RTP_PORTS };
}

const SIZE_VARIABLES = {
  CONTROL_PLANES: integer({
    default: 1,
    min: 1,
    max: MAX_WITH_DATABASE,
    meaning: 'control-planes to start, all on `PORT`',
  }),
  MEDIA_WORKERS: within(MEDIA_WORKERS, 1, MAX_MEDIA_WORKERS),
  DISPATCHERS: integer({ default: 1, min: 1, max: MAX_WITH_DATABASE, meaning: 'dispatchers to start' }),
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
  /** Of its log and run files: the first has its service's, the others a number too, as in `media-worker-2`. */
  readonly name: string;
  /** Among those of its service; the first has 0. */
  readonly index: number;
  /** METRICS_PORT for this process; a service adds its own place to it. */
  readonly metricsBase: number;
  readonly metricsPort: number;
}

/** Every process of the services, the first of each before any second. */
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
