import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { LocalStackError } from '../reporter.ts';

/**
 * Flags of every service, equal to those in deploy/Dockerfile. The sizes (MB) are of a half of V8's young generation. The
 * limit: audio buffers are short-lived, and V8's own limit depends on the machine's memory and allows 128 MB. The initial
 * size: with V8's own, 1 MB, a service takes a tenth more processor time and memory to start. The growth: V8's own factor
 * has a media-worker collect its whole heap every second, with pauses of 20 ms.
 */
export const NODE_FLAGS = [
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=32',
  '--min-semi-space-size=16',
  '--heap-growing-percent=300',
];

/** Runs a TypeScript module in a Node process with its own process group, an IPC channel and piped output. */
export async function forkModule(options: {
  entry: string;
  args?: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Opens Node's debugger on this loopback port. */
  inspectPort?: number | undefined;
  onOutput: (chunk: Buffer) => void;
}): Promise<ChildProcess> {
  if (!existsSync(options.entry)) throw new LocalStackError('module_missing', `there is no ${options.entry}`);
  const inspect = options.inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${options.inspectPort}`];
  const child = fork(options.entry, options.args ?? [], {
    detached: true,
    env: options.env,
    execArgv: [...NODE_FLAGS, ...inspect],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout?.on('data', options.onOutput);
  child.stderr?.on('data', options.onOutput);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.on('error', () => {
    // A message that could not be delivered: the process is ending, and its exit is what counts.
  });
  return child;
}
