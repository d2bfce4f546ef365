import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { MachineShare } from './capacity.ts';

const CGROUPS = '/sys/fs/cgroup';

/** Resources that this process may use, including container limits. */
export function readMachine(): Omit<MachineShare, 'workers'> {
  const ownGroup = /^0::(.*)$/mu.exec(readOrEmpty('/proc/self/cgroup'))?.[1] ?? '';
  const quotas = [CGROUPS, join(CGROUPS, ownGroup)].map((group) =>
    coresOfCpuMax(readOrEmpty(join(group, 'cpu.max'))),
  );
  return {
    cores: Math.min(availableParallelism(), ...quotas),
    availableBytes: process.availableMemory(),
  };
}

/**
 * Cores of a cgroup's `cpu.max`: `50000 100000` means 50 ms of each 100 ms. Node only reports whole cores. Infinity
 * without a limit.
 */
export function coresOfCpuMax(cpuMax: string): number {
  const [, quotaUs, periodUs] = /^(\d+) (\d+)/u.exec(cpuMax) ?? [];
  const cores = Number(quotaUs) / Number(periodUs);
  return cores > 0 ? cores : Infinity;
}

/** The text of a file; empty if it cannot be read. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
