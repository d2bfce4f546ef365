/** What was measured on this machine, in wall time of one thread that nothing disturbed. */
export interface MeasuredCost {
  /** One frame of 20 ms through a socket, the resampler and the windows of the detector, and one back; the caller's side too. */
  frameUs: number;
  /** One window of voice activity, of a small batch. */
  windowUs: number;
}

/** What one call takes, as parts of a core; of the other threads and mediasoup's process together. */
export interface CallCost {
  mainThread: number;
  otherThreads: number;
}

export interface MachineShare {
  /** May be a fraction, where a container has a limit. */
  cores: number;
  availableBytes: number;
  /** Media workers that share all this. */
  workers: number;
}

export interface Capacity {
  calls: number;
  /** What would run out first. */
  boundBy: 'main_thread' | 'cores' | 'memory';
}

export type Medium = 'webRtc' | 'serverWebSocket';

/** What the machine of docs/internals/performance.md measures here, and what a call took of it there: of 100 by WebSocket, of 75 by WebRTC. */
const REFERENCE = {
  measured: { frameUs: 34, windowUs: 38 },
  cost: {
    serverWebSocket: { mainThread: 0.0048, otherThreads: 0.0018 },
    webRtc: { mainThread: 0.0047, otherThreads: 0.0098 },
  },
} as const satisfies { measured: MeasuredCost; cost: Record<Medium, CallCost> };

/** A measurement that was disturbed all along is not believed beyond this, in times of the reference. */
const PLAUSIBLE = { min: 1 / 4, max: 4 };

/** Of the main thread: from about two thirds on frames wait for one another. */
const MAX_MAIN_THREAD = 0.6;
/** Of all cores: databases, engines and the kernel's own work are on them too, and calls don't come evenly. */
const MAX_CORES = 0.5;
/** Measured: 1.5 MB, recorded; the rest is for what is in the air when engines are slow. */
const BYTES_PER_CALL = 3 * 1024 * 1024;
const MAX_MEMORY = 0.5;
const MAX_CALLS = 10_000;

/** A call is more than frames and windows (turns, events, engines' answers, garbage), but a slower machine is slower at all of it. */
export function costOfCall({ frameUs, windowUs }: MeasuredCost, medium: Medium): CallCost {
  const { measured, cost } = REFERENCE;
  return {
    mainThread: cost[medium].mainThread * plausible(frameUs / measured.frameUs),
    otherThreads: cost[medium].otherThreads * plausible(windowUs / measured.windowUs),
  };
}

/** The calls that a worker with this share of the machine can hold in time. */
export function capacityOf(cost: CallCost, { cores, availableBytes, workers }: MachineShare): Capacity {
  const bounds = {
    main_thread: MAX_MAIN_THREAD / cost.mainThread,
    cores: (cores * MAX_CORES) / workers / (cost.mainThread + cost.otherThreads),
    memory: (availableBytes * MAX_MEMORY) / workers / BYTES_PER_CALL,
  };
  let boundBy: Capacity['boundBy'] = 'main_thread';
  for (const bound of ['cores', 'memory'] as const) if (bounds[bound] < bounds[boundBy]) boundBy = bound;
  return { calls: Math.min(MAX_CALLS, Math.max(1, Math.floor(bounds[boundBy]))), boundBy };
}

function plausible(slowness: number): number {
  return Math.min(Math.max(slowness, PLAUSIBLE.min), PLAUSIBLE.max);
}
