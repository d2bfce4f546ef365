import { join } from 'node:path';
import { systemClock, withTimeout } from '@calls/foundation/clock';
import { TimeoutError, toError } from '@calls/foundation/errors';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import { LocalStackError, type Reporter } from '../reporter.ts';
import { ManagedProcess } from '../process/managed-process.ts';
import { RecentLines } from '../process/line-splitter.ts';
import { withPid } from '../process/spawn-server.ts';
import { StartProgress } from '../start-progress.ts';
import { forkModule } from './fork-module.ts';
import type { ServiceOutput } from './service-output.ts';
import { plainLine } from './warning-lines.ts';

export interface ServiceCommand {
  readonly name: string;
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stopLimitMs: number;
  readonly inspectPort?: number | undefined;
}

export interface LaunchContext {
  readonly directory: DataDirectory;
  readonly output: ServiceOutput;
  readonly reporter: Reporter;
  readonly startLimitMs: number;
}

/** Starts a service and waits for its `{type: 'ready'}`. If it does not arrive, stops the process and rejects. */
export async function launchService(
  command: ServiceCommand,
  { directory, output, reporter, startLimitMs }: LaunchContext,
  signal: AbortSignal,
): Promise<ManagedProcess> {
  const { name, entry, env, stopLimitMs, inspectPort } = command;
  const recent = new RecentLines(plainLine);
  output.isReady = false;
  const child = await forkModule({
    entry,
    env,
    inspectPort,
    onOutput: (chunk) => {
      output.push(chunk);
      recent.push(chunk);
    },
  });
  const readiness = new Promise<void>((resolve, reject) => {
    child.on('message', (message) => {
      if (typeof message === 'object' && 'type' in message && message.type === 'ready') resolve();
    });
    // 'close' rather than 'exit', so that all output has been read.
    child.once('close', () => {
      const words = recent.indented();
      reject(
        new LocalStackError(
          'service_failed',
          `${name} ended before it was ready. Its last output:\n${words}`,
        ),
      );
    });
    signal.addEventListener('abort', () => reject(toError(signal.reason)), { once: true });
  });
  const runFile = join(directory.run, `${name}.json`);
  const process = new ManagedProcess(
    name,
    withPid(child),
    { signal: 'SIGTERM', limitMs: stopLimitMs },
    runFile,
  );
  using _progress = new StartProgress(process, reporter);
  try {
    await withTimeout(systemClock, readiness, startLimitMs, `the start of ${name}`);
    output.isReady = true;
    return process;
  } catch (thrown) {
    await process.stop();
    if (!(thrown instanceof TimeoutError)) throw thrown;
    throw new LocalStackError(
      'service_failed',
      `${name} was not ready within ${startLimitMs / 1000} s (START_LIMIT_MS). Its last output:\n${recent.indented()}`,
      { cause: thrown },
    );
  }
}
