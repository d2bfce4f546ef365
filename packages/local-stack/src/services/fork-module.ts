import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { LocalStackError } from '../local-stack-error.ts';

/** Starts a TypeScript module as a Node process of its own process group, with an IPC channel and piped output. */
export async function forkModule(options: {
  entry: string;
  args?: readonly string[];
  env: NodeJS.ProcessEnv;
  onOutput: (chunk: Buffer) => void;
}): Promise<ChildProcess> {
  if (!existsSync(options.entry)) throw new LocalStackError('module_missing', `there is no ${options.entry}`);
  const child = fork(options.entry, options.args ?? [], {
    detached: true,
    env: options.env,
    execArgv: ['--disable-warning=ExperimentalWarning'],
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
