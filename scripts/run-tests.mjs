import { availableParallelism } from 'node:os';
import { runChecks, staticChecks } from './checks.mjs';
import { runNode } from './run-node.mjs';

const jest = (node, args) =>
  runNode(node, ['node_modules/jest/bin/jest.js', '--passWithNoTests', ...args], {
    nodeOptions: ['--experimental-vm-modules'],
  });

/** Each file has servers of its own. Most of the time they wait for these, so two at least run at a time. */
const WORKERS = Math.min(4, Math.max(2, availableParallelism()));

const suite = (name, ...args) => ({
  title: `${name} tests`,
  run: (node) => jest(node, ['--selectProjects', name, ...args]),
});
const sideBySide = (name) => suite(name, `--maxWorkers=${WORKERS}`);

/** Everything, fast first; with arguments only Jest, with these. */
export function runTests(node, args) {
  if (args.length > 0) return jest(node, ['--runInBand', ...args]);
  return runChecks(node, [
    staticChecks,
    sideBySide('unit'),
    sideBySide('api'),
    sideBySide('integration'),
    sideBySide('e2e'),
    // What loads or measures the machine has it alone.
    suite('load', '--runInBand'),
  ]);
}
