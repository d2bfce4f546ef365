import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { round } from './distribution.ts';
import { cpuMsOfFamily, MS_PER_TICK } from './process-usage.ts';

/** Above this share of stolen time, latencies say more about the neighbours of the machine than about the service. */
const MAX_STOLEN_PERCENT = 2;

/** How others used the machine during a measurement, in percent of the time of all its processors. */
export interface MachineUse {
  /** Taken by the hypervisor. */
  stolenPercent: number;
  /** Used by processes that are not part of the bench. */
  othersPercent: number;
  /** Used by the bench and everything that it started. */
  ownPercent: number;
  /** Number of processes that could run, at the end. */
  load: number;
  isReliable: boolean;
}

/** Processor time of the whole machine so far. */
export interface MachineCpu {
  totalMs: number;
  /** In processes, without interrupts. */
  usedMs: number;
  stolenMs: number;
}

/** `stat`: the text of `/proc/stat`. */
export function parseMachineCpu(stat: string): MachineCpu {
  // Columns of proc(5). The times of guests are included in user and nice.
  const columns = /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').slice(0, 8).map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = columns;
  const total = columns.reduce((sum, ticks) => sum + ticks, 0);
  return {
    totalMs: total * MS_PER_TICK,
    usedMs: (user + nice + system) * MS_PER_TICK,
    stolenMs: stolen * MS_PER_TICK,
  };
}

/** Use of the machine between two readings, in which the bench used `ownMs`. */
export function machineUseBetween(
  before: MachineCpu,
  now: MachineCpu,
  ownMs: number,
  load: number,
): MachineUse {
  const percent = (ms: number): number => round((Math.max(0, ms) / (now.totalMs - before.totalMs)) * 100);
  const stolenPercent = percent(now.stolenMs - before.stolenMs);
  return {
    stolenPercent,
    othersPercent: percent(now.usedMs - before.usedMs - ownMs),
    ownPercent: percent(ownMs),
    load: round(load),
    isReliable: stolenPercent <= MAX_STOLEN_PERCENT,
  };
}

/** Starts a measurement of this process and its descendants. The returned function reads it. */
export function watchMachine(): () => MachineUse {
  const read = (): MachineCpu => parseMachineCpu(readFileSync('/proc/stat', 'utf8'));
  const [before, ownBeforeMs] = [read(), cpuMsOfFamily(process.pid)];
  return () => {
    const [load = 0] = loadavg();
    return machineUseBetween(before, read(), cpuMsOfFamily(process.pid) - ownBeforeMs, load);
  };
}

export function machineLine({
  stolenPercent,
  othersPercent,
  ownPercent,
  load,
  isReliable,
}: MachineUse): string {
  const verdict = isReliable ? '' : `   UNRELIABLE: more than ${MAX_STOLEN_PERCENT} % stolen`;
  return `machine              stolen ${stolenPercent} %   other processes ${othersPercent} %   own ${ownPercent} %   load ${load}${verdict}`;
}
