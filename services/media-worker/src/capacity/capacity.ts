/** Measured costs on this machine, in wall time of one undisturbed thread. */
export interface MeasuredCost {
  /**
   * One 20 ms frame through a socket, the resampler and the detector's windows, and one frame back, including the
   * caller's side.
   */
  frameUs: number;
  /** One voice activity window in a small batch. */
  windowUs: number;
}

/** CPU use of one call in cores, for the main thread, and for the other threads and mediasoup's process together. */
export interface CallCost {
  mainThread: number;
  otherThreads: number;
}

export interface MachineShare {
  /** May be a fraction in a container with a CPU limit. */
  cores: number;
  availableBytes: number;
  /** Number of media-workers that share the machine. */
  workers: number;
}

export interface Capacity {
  calls: number;
  /** The resource that limits the capacity. */
  limitedBy: 'main_thread' | 'cores' | 'memory';
}

/** `telephony`: the media stream of a telephony provider. */
export type Medium = 'webRtc' | 'serverWebSocket' | 'telephony' | 'sip';

/**
 * Reference values of the machine in docs/internals/performance.md: the measured costs, and the use of a call there
 * (with 100 calls by WebSocket, 75 by WebRTC). The VAD's share was measured before its network for batches, and is
 * multiplied by 0.4, as is the cost of a window. Telephony and SIP (PCMU) were compared with WebSocket on one machine
 * (2026-11-30, 60 calls each, two runs).
 */
const REFERENCE = {
  measured: { frameUs: 34, windowUs: 15 },
  cost: {
    serverWebSocket: { mainThread: 0.0048, otherThreads: 0.0008 },
    telephony: { mainThread: 0.0058, otherThreads: 0.0008 },
    sip: { mainThread: 0.0045, otherThreads: 0.0021 },
    webRtc: { mainThread: 0.0047, otherThreads: 0.0088 },
  },
} as const satisfies { measured: MeasuredCost; cost: Record<Medium, CallCost> };

/**
 * Measured costs are clamped to this range, as factors of the reference, because other load may have disturbed the
 * measurement.
 */
const PLAUSIBLE = { min: 1 / 4, max: 4 };

/** Maximum use of the main thread. Above about two thirds, frames delay one another. */
const MAX_MAIN_THREAD = 0.6;
/**
 * Maximum use of all cores. Databases, engines and the kernel need CPU time as well, and calls are not evenly
 * distributed.
 */
const MAX_CORES = 0.5;
/** Measured: 1.5 MB with recording. The rest is for buffers when engines are slow. */
const BYTES_PER_CALL = 3 * 1024 * 1024;
const MAX_MEMORY = 0.5;
const MAX_CALLS = 10_000;

/**
 * Scales the reference costs of a call by the measured ones: work other than frames and windows (turns, events,
 * responses, garbage collection) is slower on a slower machine, too.
 */
export function costOfCall({ frameUs, windowUs }: MeasuredCost, medium: Medium): CallCost {
  const { measured, cost } = REFERENCE;
  return {
    mainThread: cost[medium].mainThread * plausible(frameUs / measured.frameUs),
    otherThreads: cost[medium].otherThreads * plausible(windowUs / measured.windowUs),
  };
}

/** Number of calls that a worker with this share of the machine can serve in time. */
export function capacityOf(cost: CallCost, { cores, availableBytes, workers }: MachineShare): Capacity {
  const bounds = {
    main_thread: MAX_MAIN_THREAD / cost.mainThread,
    cores: (cores * MAX_CORES) / workers / (cost.mainThread + cost.otherThreads),
    memory: (availableBytes * MAX_MEMORY) / workers / BYTES_PER_CALL,
  };
  let limitedBy: Capacity['limitedBy'] = 'main_thread';
  for (const bound of ['cores', 'memory'] as const) if (bounds[bound] < bounds[limitedBy]) limitedBy = bound;
  return { calls: Math.min(MAX_CALLS, Math.max(1, Math.floor(bounds[limitedBy]))), limitedBy };
}

function plausible(slowness: number): number {
  return Math.min(Math.max(slowness, PLAUSIBLE.min), PLAUSIBLE.max);
}
