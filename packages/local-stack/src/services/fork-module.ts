import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { LocalStackError } from '../reporter.ts';

/**
 * A short young generation (MB): audio dies young, and V8's own bound, which follows the machine's memory, lets it grow
 * to 128 MB.
 * The same as in deploy/Dockerfile.
 */
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32'];

/** Starts a TypeScript module as a Node process of its own process group, with an IPC channel and piped output. */
export async function forkModule(options: {
  entry: string;
  args?: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Opens Node's debugger on this port of loopback. */
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
