import { readFileSync } from 'node:fs';

/** `kill`: SIGKILL. `freeze`: SIGSTOP, which simulates a machine that hangs. */
export const LOSSES = ['kill', 'freeze'] as const;
export type Loss = (typeof LOSSES)[number];

/** A process that is lost and restarted or resumed. */
export interface LosableProcess {
  readonly name: string;
  readonly pid: number | undefined;
  kill(): Promise<unknown>;
  /** Absent if its supervisor restarts it. */
  start?(): Promise<void>;
}

/** Pids of frozen processes, which could not stop when the drill is interrupted. */
const frozen = new Set<number>();

/** Resumes frozen processes when the drill is interrupted, and exits. */
export function thawWhenInterrupted(): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      for (const pid of frozen) signal(pid, 'SIGCONT');
      process.exit(1);
    });
  }
}

/** Resolves when the process is lost, to a function that restarts or resumes it unless its supervisor does. */
export async function lose(process: LosableProcess, loss: Loss): Promise<() => Promise<void>> {
  if (loss === 'kill') {
    await process.kill();
    return () => process.start?.() ?? Promise.resolve();
  }
  const pids = withChildren(process);
  for (const pid of pids) {
    frozen.add(pid);
    signal(pid, 'SIGSTOP');
  }
  return () => {
    for (const pid of pids) {
      signal(pid, 'SIGCONT');
      frozen.delete(pid);
    }
    return Promise.resolve();
  };
}

/** Pids of the process and its children. The process comes first, so that it starts no more children. */
function withChildren({ name, pid }: LosableProcess): number[] {
  if (pid === undefined) throw new Error(`${name} does not run`);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number))];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}
