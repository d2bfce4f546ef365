import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChecks, staticChecks } from './checks.mjs';
import { runNode } from './run-node.mjs';

/**
 * Runs Jest with its own folder for temporary files, which is always removed. Resolves to the exit code of Jest.
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
 * Runs as many files at a time as there are processors, at most three. Most files start several processes, which
 * together keep a slow machine busy: with more files, real-time audio has gaps.
 */
const allTests = {
  title: 'tests',
  streams: true,
  run: (node) =>
    jest(node, ['--ignoreProjects', 'long', `--maxWorkers=${Math.min(3, availableParallelism())}`]),
};

/** Runs all tests and, in parallel, the static checks. With arguments, runs only Jest with these arguments. */
export function runTests(node, args) {
  if (args.length === 0) return runChecks(node, [[allTests], staticChecks]);
  // `--watch` needs a new process for each run, so that changed files are loaded.
  const isWatching = args.some((arg) => arg === '--watch' || arg === '--watchAll');
  // Files in both `long` and another suite would run twice in one process, but load only once.
  const suites = ['--ignoreProjects', 'long'];
  return jest(node, [...suites, isWatching ? '--maxWorkers=1' : '--runInBand', ...args]);
}

/** Runs the long tests (docs/internals/testing.md) one file at a time. With arguments, only the files that match. */
export function runLongTests(node, args) {
  return jest(node, ['--selectProjects', 'long', '--runInBand', ...args], { TEST_LONG: '1' });
}
