import { availableParallelism } from 'node:os';
import { runChecks, staticChecks } from './checks.mjs';
import { runNode } from './run-node.mjs';

const jest = (node, args) =>
  runNode(node, ['node_modules/jest/bin/jest.js', '--passWithNoTests', ...args], {
    nodeOptions: ['--experimental-vm-modules'],
  });

const suite = (projects, ...args) => ({
  title: `${projects.join(', ')} tests`,
  run: (node) => jest(node, ['--selectProjects', ...projects, ...args]),
});

/** As many files at a time as there are processors, or `atLeast`: those with real servers wait for these most of the time. */
const sideBySide = (projects, { atLeast }) =>
  suite(projects, `--maxWorkers=${Math.min(4, Math.max(atLeast, availableParallelism()))}`);

/** Everything, fast first; with arguments only Jest, with these. */
export function runTests(node, args) {
  if (args.length > 0) return jest(node, ['--runInBand', ...args]);
  return runChecks(node, [
    staticChecks,
    sideBySide(['unit'], { atLeast: 2 }),
    sideBySide(['api', 'integration'], { atLeast: 3 }),
    sideBySide(['e2e'], { atLeast: 2 }),
    // Browsers, and what loads or measures the machine, have it alone.
    suite(['browser', 'load'], '--runInBand'),
  ]);
}
