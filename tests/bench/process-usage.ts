import { readdirSync, readFileSync } from 'node:fs';

/** Unit of processor time in `/proc`; the same on every Linux platform that Node.js supports. */
export const MS_PER_TICK = 10;
/** The kernel truncates thread names to this length. */
const MAX_NAME_LENGTH = 15;

export interface ProcessUsage {
  cpuMs: number;
  rssBytes: number;
}

/** CPU time and memory of a process so far, without its children. */
export function usageOf(pid: number): ProcessUsage {
  const rssKb = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return { cpuMs: cpuMsOf(`/proc/${pid}`), rssBytes: rssKb * 1024 };
}

/** CPU time of the threads of a process with this name. */
export function cpuMsOfThreads(pid: number, name: string): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  return threads
    .filter((path) => readFileSync(`${path}/comm`, 'utf8').trim() === name)
    .reduce((sum, path) => sum + cpuMsOf(path), 0);
}

/** CPU time of the thread that runs the JavaScript of a process. */
export function cpuMsOfMainThread(pid: number): number {
  return cpuMsOf(`/proc/${pid}/task/${pid}`);
}

/** Time for which the main thread of a process could run and waited for a processor. */
export function waitMsOfMainThread(pid: number): number {
  const [, waitNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waitNs) / 1e6;
}

/** CPU time of a process, all its descendants, and those that have ended. */
export function cpuMsOfFamily(pid: number): number {
  return [pid, ...descendantsOf(pid)].reduce((sum, member) => {
    try {
      const { ownMs, endedChildrenMs } = cpuTimesOf(`/proc/${member}`);
      return sum + ownMs + endedChildrenMs;
    } catch {
      // The process has ended in the meantime.
      return sum;
    }
  }, 0);
}

/** CPU time of a process or thread, by its `/proc` directory. */
function cpuMsOf(path: string): number {
  return cpuTimesOf(path).ownMs;
}

function cpuTimesOf(path: string): { ownMs: number; endedChildrenMs: number } {
  const stat = readFileSync(`${path}/stat`, 'utf8');
  // The name, in parentheses, may contain spaces; later fields do not. Fields 14 to 17: utime, stime, cutime, cstime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return { ownMs: (user + system) * MS_PER_TICK, endedChildrenMs: (endedUser + endedSystem) * MS_PER_TICK };
}

/** The sum over a process and all its descendants. */
export function usageOfTree(pid: number): ProcessUsage {
  return sumOf([pid, ...descendantsOf(pid)]);
}

/** The sum over the children of a process with this name. */
export function usageOfChildren(pid: number, name: string): ProcessUsage {
  const children = descendantsOf(pid).filter(
    (child) => readFileSync(`/proc/${child}/comm`, 'utf8').trim() === name.slice(0, MAX_NAME_LENGTH),
  );
  return sumOf(children);
}

function sumOf(pids: readonly number[]): ProcessUsage {
  const total = { cpuMs: 0, rssBytes: 0 };
  for (const pid of pids) {
    try {
      const usage = usageOf(pid);
      total.cpuMs += usage.cpuMs;
      total.rssBytes += usage.rssBytes;
    } catch {
      // The process has ended in the meantime.
    }
  }
  return total;
}

function descendantsOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const children = text.split(' ').filter(Boolean).map(Number);
    return children.flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}
