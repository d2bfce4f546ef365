import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { LocalStackError } from '../reporter.ts';

/**
 * Limits the young generation (MB): audio buffers are short-lived, and V8's own limit, which depends on the machine's
 * memory, allows 128 MB. Equals deploy/Dockerfile.
 */
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32'];

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
