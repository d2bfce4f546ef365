import { spawn, type ChildProcess } from 'node:child_process';
import { findProgram } from '../programs.ts';
import { ManagedProcess, type StopRule } from './managed-process.ts';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

export interface ServerCommand {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Written to the standard input of the process, which is then closed. */
  readonly input?: string;
  /** Passed to the process as file descriptor 3. */
  readonly directoryFd?: number;
  /** Runs the process as this user instead of ours; requires root. */
  readonly user?: SystemUser | undefined;
  readonly stop: StopRule;
  readonly runFile: string;
  readonly onOutput: (chunk: Buffer) => void;
}

/**
 * Starts a program that must not outlive this process. With setpriv of util-linux (always on Debian), the kernel sends
 * the stop signal when this process ends for any reason.
 */
export async function spawnServer(command: ServerCommand): Promise<ManagedProcess> {
  const child = spawnBoundToParent(command);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return new ManagedProcess(command.name, withPid(child), command.stop, command.runFile);
}

export function withPid(child: ChildProcess): ChildProcess & { pid: number } {
  if (child.pid === undefined) throw new Error('the process was not started');
  return child as ChildProcess & { pid: number };
}

function spawnBoundToParent(command: ServerCommand): ChildProcess {
  const { program, args, user, stop } = command;
  const setpriv = findProgram('setpriv');
  const asUser = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  const [file, fileArgs] =
    setpriv === undefined
      ? [program, args]
      : [setpriv, [`--pdeathsig=${stop.signal.slice(3)}`, ...asUser, '--', program, ...args]];
  const child = spawn(file, fileArgs, {
    detached: true,
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'pipe', command.directoryFd ?? 'ignore'],
    ...(setpriv === undefined && user ? user : {}),
  });
  child.stdin?.on('error', () => {
    // The process ended without reading its input: its exit says so.
  });
  child.stdin?.end(command.input ?? '');
  child.stdout?.on('data', command.onOutput);
  child.stderr?.on('data', command.onOutput);
  return child;
}
