import { fork, type ChildProcess } from 'node:child_process';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 3000;

export interface StandInProcess<Ready> extends AsyncDisposable {
  /** What it said when it was ready. */
  readonly ready: Ready;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
}

/** Runs `main` in a process of its own; its first message over IPC says that it is ready, and where. */
export async function startStandInProcess<Ready>(
  main: string,
  env: Readonly<Record<string, string>>,
): Promise<StandInProcess<Ready>> {
  const child = fork(main, [], {
    execArgv: [],
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return {
    ready: await readiness<Ready>(child),
    kill: () => stop(child, 'SIGKILL'),
    [Symbol.asyncDispose]: () => stop(child, 'SIGTERM'),
  };
}

function readiness<Ready>(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
    child.once('message', (message) => {
      clearTimeout(limit);
      resolve(message as Ready);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(limit);
      reject(new Error(`the stand-in ended with ${String(code)} before it was ready`));
    });
  });
}

function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    child.once('exit', () => {
      clearTimeout(limit);
      resolve();
    });
    child.kill(signal);
  });
}
