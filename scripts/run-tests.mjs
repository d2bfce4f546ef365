import { formatting, lint, runChecks, typeCheck } from './checks.mjs';
import { runNode } from './run-node.mjs';

const jest = (node, args) =>
  runNode(node, ['node_modules/jest/bin/jest.js', '--passWithNoTests', ...args], {
    nodeOptions: ['--experimental-vm-modules'],
  });

/** Real servers and real time: one file after the other, so that none takes the processor from another. */
const suite = (name, args) => ({
  title: `${name} tests`,
  run: (node) => jest(node, ['--selectProjects', name, ...args]),
});

/** Everything, fast first; with arguments only Jest, with these. */
export function runTests(node, args) {
  if (args.length > 0) return jest(node, ['--runInBand', ...args]);
  return runChecks(node, [
    typeCheck,
    lint,
    formatting,
    suite('unit', []),
    // Each file has servers of its own, and none measures times that a neighbour could spoil.
    suite('api', ['--maxWorkers=2']),
    suite('integration', ['--runInBand']),
    suite('e2e', ['--runInBand']),
  ]);
}
