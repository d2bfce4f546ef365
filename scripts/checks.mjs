import { wasInterrupted } from './setup/child-processes.mjs';
import { runNode } from './run-node.mjs';

export const typeCheck = {
  title: 'type check',
  run: (node) => runNode(node, ['node_modules/typescript/bin/tsc', '-b', '--pretty']),
};

export const lint = {
  title: 'lint',
  run: (node) => runNode(node, ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0']),
};

export const formatting = {
  title: 'formatting',
  run: (node) =>
    runNode(node, [
      'node_modules/prettier/bin/prettier.cjs',
      '--check',
      '--log-level',
      'warn',
      '--cache',
      '--cache-location',
      '.cache/prettier',
      '.',
    ]),
};

/** Runs all checks in order, also after a failure, announces each, and ends with one line that sums up. */
export async function runChecks(node, checks) {
  const failed = [];
  const startedMs = performance.now();
  for (const { title, run } of checks) {
    console.log(`\n── ${title}`);
    const checkStartedMs = performance.now();
    const code = await run(node);
    if (wasInterrupted()) return 130;
    if (code !== 0) failed.push(title);
    console.log(`── ${title}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds(checkStartedMs)}`);
  }
  const total = `${checks.length} checks in ${seconds(startedMs)}`;
  console.log(failed.length === 0 ? `\nall passed: ${total}` : `\nFAILED: ${failed.join(', ')} (${total})`);
  return failed.length === 0 ? 0 : 1;
}

function seconds(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}
