import { readFile } from 'node:fs/promises';

/** Linux reports CPU time in hundredths of a second (USER_HZ). */
const MS_PER_TICK = 10;

/** CPU time of a process and its children in milliseconds; null if it cannot be read. */
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
    // The process has just exited, or the system has no /proc.
    return null;
  }
}

/** `utime` and `stime` follow the program name, which may contain spaces and parentheses. */
function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}
