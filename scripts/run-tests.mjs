import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChecks, staticChecks } from './checks.mjs';
import { runNode } from './run-node.mjs';

/**
 * Runs Jest with a folder of its own for temporary files, which is removed however Jest ends. Resolves to its exit code.
 */
async function jest(node, args, env = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'calls-tests-'));
  try {
    return await runNode(node, ['node_modules/jest/bin/jest.js', '--passWithNoTests', ...args], {
      env: { ...env, TMPDIR: folder },
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Three files at a time on two processors: most of them spend most of their time waiting. With four, a slow machine is
 * always busy, and real-time audio has gaps.
 */
const allTests = {
  title: 'tests',
  streams: true,
  run: (node) =>
    jest(node, ['--ignoreProjects', 'long', `--maxWorkers=${1 + Math.min(2, availableParallelism())}`]),
};

/** Runs all tests, and the static checks beside them; with arguments only Jest, with these. */
export function runTests(node, args) {
  if (args.length === 0) return runChecks(node, [[allTests], staticChecks]);
  // Processes that live for one run load changed files: `--watch` needs them.
  const isWatching = args.some((arg) => arg === '--watch' || arg === '--watchAll');
  // Files of the suite `long` that belong to another suite too would run twice in one process, where they load once.
  const suites = ['--ignoreProjects', 'long'];
  return jest(node, [...suites, isWatching ? '--maxWorkers=1' : '--runInBand', ...args]);
}

/** Runs what takes long by nature (docs/internals/testing.md), one file at a time; with arguments the files that match. */
export function runLongTests(node, args) {
  return jest(node, ['--selectProjects', 'long', '--runInBand', ...args], { TEST_LONG: '1' });
}
