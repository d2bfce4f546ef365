/**
 * `npm run bench`: N people talk with agents at once, with recorded speech, over the whole system on this machine; the AI
 * endpoints are stand-ins with fixed delays, processes of their own behind real HTTP. Says how long the service itself
 * takes to answer, how late audio goes out, and what a call costs. `npm run bench -- creation` creates calls at a steady
 * rate instead. See docs/performance.md.
 */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toError } from '@calls/foundation';
import { readBenchOptions } from './bench-options.ts';
import { readCreationOptions } from './creation/creation-options.ts';
import { creationTable, runCreation } from './creation/run-creation.ts';
import { tableOf } from './report.ts';
import { runBench } from './run-bench.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const [kind, ...rest] = process.argv.slice(2);
if (kind === 'creation') {
  const creation = await runCreation(readCreationOptions(rest), say);
  say(`\n${creationTable(creation)}`);
  process.exit(0);
}
let options;
try {
  options = readBenchOptions(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${toError(thrown).message}\n`);
  process.exit(2);
}
const report = await runBench(options, say);
say(`\n${tableOf(report)}`);
if (options.jsonPath !== null) {
  await writeFile(resolve(options.jsonPath), `${JSON.stringify(report, null, 2)}\n`);
  say(`\nwritten to ${options.jsonPath}`);
}
process.exit(report.turns.lostCalls.length > 0 || report.turns.answered === 0 ? 1 : 0);
