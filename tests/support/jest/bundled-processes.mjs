import childProcess from 'node:child_process';
import { globSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Processes that code under test or a test starts from a source run its bundle (build-services.ts), which loads in a
 * fraction of the processor time. Without bundles this changes nothing. The stack chooses between bundle and source of the
 * services itself (start-stack.ts).
 */
export function useBundles(folder = process.env.CALLS_TEST_SERVICES) {
  if (folder === undefined) return;
  const bundles = new Map(
    globSync('{packages,services,tests}/**/*.mjs', { cwd: folder, exclude: ['services/*/src/main.mjs'] }).map(
      (bundle) => [join(ROOT, bundle.replace(/\.mjs$/u, '.ts')), join(folder, bundle)],
    ),
  );
  const bundleOf = (argument) => bundles.get(argument) ?? argument;
  const { fork, spawn } = childProcess;
  childProcess.fork = (module, ...rest) => fork(bundleOf(module), ...rest);
  childProcess.spawn = (command, args, ...rest) =>
    spawn(command, Array.isArray(args) ? args.map(bundleOf) : args, ...rest);
  syncBuiltinESMExports();
}
