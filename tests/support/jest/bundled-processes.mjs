import childProcess from 'node:child_process';
import { globSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Makes processes that tests or tested code start from a source file run its bundle (build-services.ts), which loads in
 * a fraction of the CPU time. Without bundles this has no effect. start-stack.ts selects the bundles of services
 * itself.
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
