import { setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { spawnTracked } from './setup/child-processes.mjs';
import { cacheFolder, repository } from './setup/host.mjs';

/**
 * Runs a module of this repository with arguments, the project's Node.js and the terminal of this process. Resolves to
 * its exit code. With `ipc`, the child also notices when this process has ended. `onOutput` receives the text that it
 * writes. `niceness` applies to the process and those that it starts, see setpriority(2).
 */
export async function runNode(
  node,
  [module, ...args],
  { ipc = false, cwd = repository, env = {}, niceness = 0, nodeOptions = [], onOutput } = {},
) {
  const nodeArgs = [
    '--disable-warning=ExperimentalWarning',
    ...nodeOptions,
    resolve(repository, module),
    ...args,
  ];
  const stdio = onOutput ? ['ignore', 'pipe', 'pipe'] : ['inherit', 'inherit', 'inherit'];
  const { child, exitCode } = spawnTracked(node, nodeArgs, {
    cwd,
    stdio: ipc ? [...stdio, 'ipc'] : stdio,
    env: {
      ...process.env,
      // Disables onnxruntime's telemetry even in tests that load it themselves.
      ORT_DISABLE_TELEMETRY: '1',
      // Caches compiled modules, which halves the start time of a process.
      NODE_COMPILE_CACHE: join(cacheFolder, 'node'),
      // Keeps colours if this process passes the output to a terminal.
      ...(onOutput && process.stdout.isTTY && { FORCE_COLOR: '1' }),
      ...env,
      PATH: `${join(repository, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
    },
  });
  if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
  child.stdout?.setEncoding('utf8').on('data', onOutput);
  child.stderr?.setEncoding('utf8').on('data', onOutput);
  return exitCode;
}
