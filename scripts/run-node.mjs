import { join, resolve } from 'node:path';
import { spawnTracked } from './setup/child-processes.mjs';
import { repository } from './setup/host.mjs';

/**
 * Runs a module of this repository (and its arguments) with the project's Node, on our terminal. Resolves to its exit
 * code. With `ipc`, the child also notices when this process is gone.
 */
export async function runNode(
  node,
  [module, ...args],
  { ipc = false, cwd = repository, env = {}, nodeOptions = [] } = {},
) {
  const nodeArgs = [
    '--disable-warning=ExperimentalWarning',
    ...nodeOptions,
    resolve(repository, module),
    ...args,
  ];
  const { exitCode } = spawnTracked(node, nodeArgs, {
    cwd,
    stdio: ipc ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
    env: {
      ...process.env,
      ...env,
      PATH: `${join(repository, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
    },
  });
  return exitCode;
}
