import { readFileSync } from 'node:fs';

/** The unit of processor time in `/proc`. It is the same on every Linux platform that Node.js supports. */
const TICK_MS = 10;

/** Processor time of this process and of its ended children, in milliseconds; 0 on systems without `/proc`. */
export function cpuTimeMs() {
  let stat;
  try {
    stat = readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return 0;
  }
  // The name, in parentheses, may contain spaces. After it: utime, stime, cutime and cstime are fields 14 to 17 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
}
