import { readFileSync } from 'node:fs';

/** Identifies a process permanently: a pid alone may be reused, a pid with its start time is not. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
}

/** The identity of the live process with this pid; undefined if there is none, or only a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const fields = readStat(pid);
  if (!fields) return undefined;
  const [state] = fields;
  const startTicks = fields[19];
  if (startTicks === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, startTicks };
}

/** The fields of `/proc/<pid>/stat` from the state on; undefined if there is no such process. */
export function readStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // pid (name) state ppid …: the name may contain anything, so fields are counted from its closing parenthesis.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startTicks === identity.startTicks;
}
