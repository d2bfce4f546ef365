import { availableParallelism } from 'node:os';
import { readOrEmpty } from '../capacity/machine.ts';
import type { LostTime } from './processor-pressure.ts';

/** Counters of the kernel, in milliseconds. Those that are unavailable stay 0. */
export interface ProcessorTimes {
  /** Time of the reading on the monotonic clock. */
  atMs: number;
  /** Sum over all processors. */
  machineUsedMs: number;
  stolenMs: number;
  /** Time that the CPU limit of the container withheld. */
  throttledMs: number;
  /** Time that the main thread was running. */
  threadUsedMs: number;
  threadWaitedMs: number;
}

const MS_PER_TICK = 10;
/** Paths of cgroup 2 and cgroup 1. A container sees its own group at the root. */
const CGROUP_FILES = ['/sys/fs/cgroup/cpu.stat', '/sys/fs/cgroup/cpu/cpu.stat'];

/** Reads the counters of the main thread's process from `/proc` and the cgroup. */
export function readProcessorTimes(atMs: number): ProcessorTimes {
  return parseProcessorTimes(atMs, {
    stat: readOrEmpty('/proc/stat'),
    schedstat: readOrEmpty(`/proc/self/task/${process.pid}/schedstat`),
    cpuStat: CGROUP_FILES.map(readOrEmpty).find((text) => text !== '') ?? '',
  });
}

/** The texts are empty if the files do not exist. */
export function parseProcessorTimes(
  atMs: number,
  { stat, schedstat, cpuStat }: { stat: string; schedstat: string; cpuStat: string },
): ProcessorTimes {
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = numbersOf(
    /^cpu +(.*)$/mu.exec(stat)?.[1] ?? '',
  );
  const [threadUsedNs = 0, threadWaitedNs = 0] = numbersOf(schedstat.trim());
  const [, throttledUs = 0] = /^throttled_usec (\d+)$/mu.exec(cpuStat) ?? [];
  const [, throttledNs = 0] = /^throttled_time (\d+)$/mu.exec(cpuStat) ?? [];
  return {
    atMs,
    machineUsedMs: (user + nice + system + interrupts + softInterrupts) * MS_PER_TICK,
    stolenMs: stolen * MS_PER_TICK,
    throttledMs: Number(throttledUs) / 1e3 + Number(throttledNs) / 1e6,
    threadUsedMs: threadUsedNs / 1e6,
    threadWaitedMs: threadWaitedNs / 1e6,
  };
}

/** Time lost between two readings. `processors`: number of processors of the machine. */
export function lostBetween(
  before: ProcessorTimes,
  now: ProcessorTimes,
  processors: number = availableParallelism(),
): LostTime {
  const elapsedMs = Math.max(1, now.atMs - before.atMs);
  const change = (counter: keyof ProcessorTimes): number => Math.max(0, now[counter] - before[counter]);
  return {
    stolen: partOf(change('stolenMs'), change('machineUsedMs'), elapsedMs * processors),
    throttled: Math.min(1, change('throttledMs') / elapsedMs),
    waited: partOf(change('threadWaitedMs'), change('threadUsedMs'), elapsedMs),
  };
}

/**
 * Share of the needed time that was lost, of at least half of the available time: an idle thread loses a large share of
 * little time without harm.
 */
function partOf(lostMs: number, usedMs: number, availableMs: number): number {
  return Math.min(1, lostMs / Math.max(lostMs + usedMs, availableMs / 2));
}

function numbersOf(text: string): number[] {
  return text === '' ? [] : text.split(' ').map(Number);
}
