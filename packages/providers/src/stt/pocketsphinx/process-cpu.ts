import { readFile } from 'node:fs/promises';

/** Linux counts processor time in hundredths of a second for every program (USER_HZ). */
const MS_PER_TICK = 10;

/** Processor time that a process and its children have used, in milliseconds; null where that cannot be read. */
export async function processCpuMs(pid: number): Promise<number | null> {
  try {
    const [stat, children] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'),
    ]);
    const childPids = children.split(' ').filter((text) => text !== '');
    const childTimes = await Promise.all(childPids.map((child) => processCpuMs(Number(child))));
    return childTimes.reduce<number>((sum, ms) => sum + (ms ?? 0), ticksOf(stat) * MS_PER_TICK);
  } catch {
    // It has just ended, or the system has no such files.
    return null;
  }
}

/** `utime` and `stime`, which follow the program's name: that may hold spaces and brackets. */
function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}
