import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { round } from './distribution.ts';
import { cpuMsOfFamily, MS_PER_TICK } from './process-usage.ts';

/** Above this share of stolen time, latencies depend more on other virtual machines than on the service. */
const MAX_STOLEN_PERCENT = 2;

/** How others used the machine during a measurement, in percent of the time of all its processors. */
export interface MachineUse {
  /** Time that the hypervisor gave to other virtual machines. */
  stolenPercent: number;
  /** Time used by processes that are not part of the bench. */
  othersPercent: number;
  /** Time used by the bench and all processes that it started. */
  ownPercent: number;
  /** Load average of the machine at the end. */
  load: number;
  isReliable: boolean;
}

/** Processor time of the whole machine so far. */
export interface MachineCpu {
  totalMs: number;
  /** Time used by processes, without interrupts. */
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

/** Use of the machine between two readings. `ownMs` is the processor time of the bench between them. */
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
