import { systemClock, withTimeout } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { LocalStackError } from '../reporter.ts';
import { RecentLines } from '../process/line-splitter.ts';
import { forkModule } from './fork-module.ts';
import type { ServiceOutput } from './service-output.ts';
import { plainLine } from './warning-lines.ts';

/**
 * Runs a module until it exits; resolves with its last message. Rejects with its last output unless it exits with code
 * 0 in time.
 */
export async function runModule(options: {
  name: string;
  entry: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  limitMs: number;
  output: ServiceOutput;
  signal: AbortSignal;
}): Promise<unknown> {
  const { name, output, signal } = options;
  const recent = new RecentLines(plainLine);
  const child = await forkModule({
    ...options,
    onOutput: (chunk) => {
      output.push(chunk);
      recent.push(chunk);
    },
  });
  const ended = new Promise<unknown>((resolve, reject) => {
    let lastMessage: unknown;
    child.on('message', (message) => {
      lastMessage = message;
    });
    child.once('close', (code) => {
      if (code === 0) resolve(lastMessage);
      else
        reject(
          new LocalStackError('module_failed', `${name} failed. Its last output:\n${recent.indented()}`),
        );
    });
    signal.addEventListener('abort', () => reject(toError(signal.reason)), { once: true });
  });
  try {
    return await withTimeout(systemClock, ended, options.limitMs, name);
  } finally {
    child.kill('SIGKILL');
  }
}
