import { fork, type ChildProcess } from 'node:child_process';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 3000;
const ASK_LIMIT_MS = 60_000;

export interface StandInProcess<Ready> extends AsyncDisposable {
  /** The ready message of the process. */
  readonly ready: Ready;
  readonly pid: number;
  /** Ends the process immediately, like a crash. */
  kill(): Promise<void>;
}

/** Runs `main` in its own process. Its first IPC message means that it is ready and contains its address. */
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
    pid: child.pid ?? 0,
    kill: () => stop(child, 'SIGKILL'),
    [Symbol.asyncDispose]: () => stop(child, 'SIGTERM'),
  };
}

/** Posts JSON to a stand-in. Resolves with the JSON of the response; undefined if it has no body. */
export async function askStandIn(url: string, body: object = {}, limitMs = ASK_LIMIT_MS): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(limitMs),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the stand-in responded with ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
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
      reject(new Error(`the stand-in exited with ${String(code)} before it was ready`));
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
