import { wasInterrupted } from './setup/child-processes.mjs';
import { audit } from './audit.mjs';
import { cpuTimeMs } from './cpu-time.mjs';
import { runNode } from './run-node.mjs';

/** Checks run beside tests with real-time audio, which has gaps if its processes wait for a processor. */
const NICENESS = 10;

/**
 * For the tools in Go that oxlint runs: the heap may grow to five times the used memory before garbage collection.
 * This reduces the processor time of the type check to a sixth.
 */
const ENVIRONMENT = { GOGC: '400' };

/** A check's `run` resolves to its exit code; with `onOutput`, its output goes there instead of the terminal. */
const tool = (title, ...args) => ({
  title,
  run: (node, options) => runNode(node, args, { ...options, niceness: NICENESS, env: ENVIRONMENT }),
});

/** Includes type errors: oxlint runs the TypeScript compiler once for each program (tsconfig.json). */
export const lint = tool('type check and lint', 'node_modules/oxlint/bin/oxlint');

export const formatting = tool('formatting', 'node_modules/oxfmt/bin/oxfmt', '--check');

/** Links, line and cell lengths and structure of the pages in `docs/`, and references to pages from other files. */
const docs = tool('documentation', 'services/docs-site/src/check.ts');

/** The OpenAPI document, by Redocly and Spectral. */
const apiDescription = tool('API description', 'packages/api-client/src/lint-description.ts');

/** Known vulnerabilities and licences of production dependencies. */
export const dependencies = {
  title: 'dependencies',
  run: (_node, { onOutput } = {}) => audit(onOutput && ((line) => onOutput(`${line}\n`))),
};

/** All checks that run no code of the project. Quick ones come first, since each briefly uses both processors. */
export const staticChecks = [dependencies, docs, formatting, apiDescription, lint];

/**
 * Runs the checks of each lane one after another, even after a failure, and the lanes in parallel. Prints a summary
 * line and resolves to the exit code. A check's output appears when it ends, unless it `streams` or is the only check.
 */
export async function runChecks(node, lanes) {
  const checks = lanes.flat();
  const failed = [];
  const startedMs = performance.now();
  console.log(`\n── ${checks.map(({ title }) => title).join(', ')}`);
  const runLane = async (lane) => {
    for (const check of lane) {
      if (wasInterrupted()) return;
      const code = await runCheck(node, check, { isStreamed: check.streams || checks.length === 1 });
      if (code !== 0) failed.push(check.title);
    }
  };
  await Promise.all(lanes.map(runLane));
  if (wasInterrupted()) return 130;
  const total = `${checks.length} checks in ${seconds(startedMs)}, ${toSeconds(cpuTimeMs())} of processor time`;
  console.log(failed.length === 0 ? `\nall passed: ${total}` : `\nFAILED: ${failed.join(', ')} (${total})`);
  return failed.length === 0 ? 0 : 1;
}

async function runCheck(node, { title, run }, { isStreamed }) {
  const startedMs = performance.now();
  const output = [];
  const code = await run(node, isStreamed ? {} : { onOutput: (text) => output.push(text) });
  if (wasInterrupted()) return code;
  if (output.length > 0) process.stdout.write(`\n${output.join('').trim()}\n`);
  console.log(`── ${title}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds(startedMs)}`);
  return code;
}

function seconds(sinceMs) {
  return toSeconds(performance.now() - sinceMs);
}

function toSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
