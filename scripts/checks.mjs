import { wasInterrupted } from './setup/child-processes.mjs';
import { audit } from './audit.mjs';
import { runNode } from './run-node.mjs';

/** A check's `run` resolves to its exit code; with `onOutput`, what it says goes there and not to the terminal. */
const tool = (title, ...args) => ({ title, run: (node, options) => runNode(node, args, options) });

const tsc = 'node_modules/typescript/bin/tsc';

/** What runs in Node as one program, which takes a third of the time that a program for each package does. */
const typeCheck = tool('type check', tsc, '-p', 'tsconfig.node.json', '--pretty');

/** What runs in browsers. */
const browserTypeCheck = tool(
  'type check for browsers',
  ...[tsc, '-b', 'packages/client', 'services/console', '--pretty'],
);

export const lint = tool('lint', 'node_modules/oxlint/bin/oxlint');

export const formatting = tool(
  'formatting',
  'node_modules/prettier/bin/prettier.cjs',
  ...['--check', '--log-level', 'warn', '--cache', '--cache-location', '.cache/prettier', '.'],
);

/** Links, line and cell length, structure of the pages in `docs/`; pages that other files name. */
const docs = tool('documentation', 'services/docs-site/src/check.ts');

/** Of what runs in production: known vulnerabilities, licences. */
export const dependencies = {
  title: 'dependencies',
  run: (_node, { onOutput } = {}) => audit(onOutput && ((line) => onOutput(`${line}\n`))),
};

/** All that is told without running the code; the longest first, as there may be more of them than processors. */
export const staticChecks = [lint, typeCheck, browserTypeCheck, formatting, docs, dependencies];

/**
 * Runs all checks in order, also after a failure, and ends with one line that sums up. Each is announced and says on the
 * terminal what it has to say; those of an array run side by side, and each says it whole when it's done.
 */
export async function runChecks(node, steps) {
  const failed = [];
  const startedMs = performance.now();
  for (const step of steps) {
    const together = Array.isArray(step) ? step : [step];
    console.log(`\n── ${together.map(({ title }) => title).join(', ')}`);
    const outcomes = await Promise.all(
      together.map((check) => runCheck(node, check, { isAlone: together.length === 1 })),
    );
    if (wasInterrupted()) return 130;
    failed.push(...together.filter((_check, i) => outcomes[i] !== 0).map(({ title }) => title));
  }
  const total = `${steps.flat().length} checks in ${seconds(startedMs)}`;
  console.log(failed.length === 0 ? `\nall passed: ${total}` : `\nFAILED: ${failed.join(', ')} (${total})`);
  return failed.length === 0 ? 0 : 1;
}

async function runCheck(node, { title, run }, { isAlone }) {
  const startedMs = performance.now();
  const output = [];
  const code = await run(node, isAlone ? {} : { onOutput: (text) => output.push(text) });
  if (wasInterrupted()) return code;
  if (output.length > 0) process.stdout.write(`\n${output.join('').trim()}\n`);
  console.log(`── ${title}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds(startedMs)}`);
  return code;
}

function seconds(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}
