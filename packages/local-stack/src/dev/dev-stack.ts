import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toError } from '@calls/foundation/errors';
import { SupervisedProcess } from '../process/supervised-process.ts';
import { launchService } from '../services/launch-service.ts';
import { ServiceOutput } from '../services/service-output.ts';
import type { DevPorts, StackPorts } from '../stack-size.ts';
import { DEFAULT_START_LIMIT_MS } from '../start-progress.ts';
import { REPOSITORY, startStack, timed, type Stack, type StackOptions } from '../stack.ts';
import { watchSources } from './source-watcher.ts';

const SCOPE = '@calls/';

const MIGRATIONS = join(REPOSITORY, 'packages/store/src/migrations');
const CONSOLE_STOP_LIMIT_MS = 2_000;

export interface DevStackOptions extends StackOptions {
  readonly ports: StackPorts & { readonly dev: DevPorts };
}

/**
 * The stack for development: a changed source file restarts the services that use it. The console's development server,
 * at the API's address, updates open pages. PostgreSQL, Redis and NATS keep running.
 */
export async function startDevStack(options: DevStackOptions): Promise<Stack> {
  const stack = await startStack(options);
  const consoleServer = superviseConsole(options, stack);
  try {
    await timed(options.reporter, 'console', async () => {
      await consoleServer.start();
      return `:${options.ports.api}`;
    });
  } catch (thrown) {
    await consoleServer[Symbol.asyncDispose]();
    await stack[Symbol.asyncDispose]();
    throw thrown;
  }
  const restarts = restartOnChange(options, stack);
  return {
    ...stack,
    [Symbol.asyncDispose]: async () => {
      restarts[Symbol.dispose]();
      await consoleServer[Symbol.asyncDispose]();
      await stack[Symbol.asyncDispose]();
    },
  };
}

function superviseConsole(options: DevStackOptions, { directory }: Stack): SupervisedProcess {
  const { ports, reporter, startLimitMs = DEFAULT_START_LIMIT_MS } = options;
  const name = 'console';
  const output = new ServiceOutput(name, directory.logs, reporter);
  const command = {
    name,
    entry: join(REPOSITORY, 'services/console/dev-server.mjs'),
    env: {
      ...options.env,
      PORT: String(ports.api),
      CONTROL_PLANE_URL: `http://127.0.0.1:${ports.dev.controlPlane}`,
    },
    stopLimitMs: CONSOLE_STOP_LIMIT_MS,
  };
  return new SupervisedProcess({
    ...options,
    restart: 'on-change',
    name,
    launch: (signal) => launchService(command, { directory, output, reporter, startLimitMs }, signal),
    onDispose: () => output.close(),
  });
}

function restartOnChange({ reporter, signal }: DevStackOptions, stack: Stack): Disposable {
  const processes = [...stack.processes].map(([name, process]) => ({
    name,
    process,
    folders: [...sourceFoldersOf(REPOSITORY, join('services', name.replace(/-\d+$/u, '')))],
  }));
  const restart = async (name: string, process: SupervisedProcess): Promise<void> => {
    try {
      await timed(reporter, name, async () => {
        await process.restart();
        return 'restarted';
      });
    } catch (thrown) {
      if (!signal.aborted) reporter.notice(name, `${toError(thrown).message}\nwaiting for a change`);
    }
  };
  const restarts = coalesce<string>(async (files) => {
    reporter.notice('changed', summarize(files));
    if (has(files, MIGRATIONS)) {
      try {
        reporter.notice('database', await stack.prepareDatabase());
      } catch (thrown) {
        reporter.notice('database', toError(thrown).message);
      }
    }
    const affected = processes.filter(({ folders }) => folders.some((folder) => has(files, folder)));
    await Promise.all(affected.map(({ name, process }) => restart(name, process)));
  });
  return watchSources(new Set(processes.flatMap(({ folders }) => folders)), restarts);
}

function has(files: ReadonlySet<string>, folder: string): boolean {
  return [...files].some((file) => file.startsWith(`${folder}/`));
}

function summarize(files: ReadonlySet<string>): string {
  const [first = '', ...others] = [...files].map((file) => file.slice(REPOSITORY.length + 1));
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/**
 * A trigger that runs `task` once at a time. Triggers during a run lead to one further run with all their inputs.
 * `task` must not reject.
 */
function coalesce<T>(task: (inputs: ReadonlySet<T>) => Promise<void>): (inputs: Iterable<T>) => void {
  let pending = new Set<T>();
  let isRunning = false;
  const drain = async (): Promise<void> => {
    isRunning = true;
    while (pending.size > 0) {
      const inputs = pending;
      pending = new Set();
      await task(inputs);
    }
    isRunning = false;
  };
  return (inputs) => {
    for (const input of inputs) pending.add(input);
    if (!isRunning) void drain();
  };
}

/** The `src` folders a workspace package runs from: its own, and those of every workspace package it depends on. */
function sourceFoldersOf(repository: string, packageFolder: string): Set<string> {
  const folders = new Set<string>();
  const visit = (folder: string): void => {
    const source = join(repository, folder, 'src');
    if (folders.has(source)) return;
    folders.add(source);
    for (const name of workspaceDependencies(join(repository, folder, 'package.json'))) {
      visit(join('packages', name.slice(SCOPE.length)));
    }
  };
  visit(packageFolder);
  return folders;
}

function workspaceDependencies(manifestPath: string): string[] {
  const manifest: unknown = JSON.parse(readFileSync(manifestPath, 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || !('dependencies' in manifest)) return [];
  return Object.keys(manifest.dependencies ?? {}).filter((name) => name.startsWith(SCOPE));
}
