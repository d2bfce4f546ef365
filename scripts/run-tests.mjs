import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runChecks, staticChecks } from './checks.mjs';
import { runNode } from './run-node.mjs';
import { wasInterrupted } from './setup/child-processes.mjs';
import { repository } from './setup/host.mjs';

/** More files than this don't fail because the machine was slow at the moment. */
const MOST_TRIED_AGAIN = 3;

const jest = (node, args) =>
  runNode(node, ['node_modules/jest/bin/jest.js', '--passWithNoTests', ...args], {
    nodeOptions: ['--experimental-vm-modules'],
  });

/** Jest's exit code, and the test files that failed. */
async function jestAndFailures(node, args) {
  const folder = await mkdtemp(join(tmpdir(), 'calls-tests-'));
  const results = join(folder, 'results.json');
  try {
    const code = await jest(node, [...args, '--json', `--outputFile=${results}`]);
    const text = await readFile(results, 'utf8').catch(() => '{"testResults":[]}');
    const failed = JSON.parse(text).testResults.filter(({ status }) => status === 'failed');
    return { code, failed: failed.map(({ name }) => relative(repository, name)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Much of what is tested runs in real time, with real servers, and two processors are few: a file that failed beside others is
 * tried once more, alone. One that passes then is said to have needed it.
 */
const suite = (projects, ...args) => ({
  title: `${projects.join(', ')} tests`,
  run: async (node) => {
    const select = ['--selectProjects', ...projects];
    const { code, failed } = await jestAndFailures(node, [...select, ...args]);
    const isWorthIt = failed.length > 0 && failed.length <= MOST_TRIED_AGAIN;
    if (code === 0 || !isWorthIt || wasInterrupted()) return code;
    console.log(`\n── failed; once more, alone: ${failed.join(', ')}`);
    const again = await jest(node, [...select, '--runInBand', '--runTestsByPath', ...failed]);
    if (again === 0) console.log(`\n── UNSTEADY, passed at the second try: ${failed.join(', ')}`);
    return again;
  },
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
