import type { BenchStack } from './bench-stack.ts';
import {
  cpuMsOfMainThread,
  cpuMsOfThreads,
  usageOf,
  usageOfChildren,
  usageOfTree,
  waitMsOfMainThread,
} from './process-usage.ts';
import { MetricsReading } from './scrape.ts';

/** Threads of the media-worker: the voice activity model and Opus. */
const VAD_THREAD = 'silero';
const OPUS_THREAD = 'opus';
const MEDIASOUP = 'mediasoup-worker';

/** Resource use of all processes so far. */
export interface ResourceUsage {
  atMs: number;
  cpuMs: Record<string, number>;
  memory: MemoryUsage;
  vadCpuMs: number;
  opusCpuMs: number;
  mainThreadCpuMs: number;
  /** Time for which the worker's main thread waited for a processor. */
  mainThreadWaitMs: number;
  metrics: MetricsReading;
}

/** Resident memory. */
export interface MemoryUsage {
  workerBytes: number;
  mediasoupBytes: number;
}

/** Reads all counters. Reading the metrics starts a new measurement of event loop lag. */
export async function readResourceUsage(bench: BenchStack): Promise<ResourceUsage> {
  const metrics = await MetricsReading.of(bench.workerMetricsPort);
  const worker = pidOf(bench, 'media-worker');
  const { processes } = bench.stack.servers;
  const servers = (['postgresql', 'redis', 'nats'] as const).map((name) => processes.get(name)?.pid ?? 0);
  return {
    atMs: performance.now(),
    memory: readMemoryUsage(bench),
    vadCpuMs: cpuMsOfThreads(worker, VAD_THREAD),
    opusCpuMs: cpuMsOfThreads(worker, OPUS_THREAD),
    mainThreadCpuMs: cpuMsOfMainThread(worker),
    mainThreadWaitMs: waitMsOfMainThread(worker),
    metrics,
    cpuMs: {
      'media-worker': usageOf(worker).cpuMs,
      mediasoup: usageOfChildren(worker, MEDIASOUP).cpuMs,
      'control-plane': usageOf(pidOf(bench, 'control-plane')).cpuMs,
      dispatcher: usageOf(pidOf(bench, 'dispatcher')).cpuMs,
      servers: servers.reduce((sum, pid) => sum + usageOfTree(pid).cpuMs, 0),
      'stand-ins': usageOf(bench.standIn.pid).cpuMs,
      callers: usageOf(process.pid).cpuMs,
    },
  };
}

export function readMemoryUsage(bench: BenchStack): MemoryUsage {
  const worker = pidOf(bench, 'media-worker');
  return {
    workerBytes: usageOf(worker).rssBytes,
    mediasoupBytes: usageOfChildren(worker, MEDIASOUP).rssBytes,
  };
}

function pidOf(bench: BenchStack, service: 'media-worker' | 'control-plane' | 'dispatcher'): number {
  const { pid } = bench.stack.services[service];
  if (pid === undefined) throw new Error(`${service} is down`);
  return pid;
}
