/**
 * `npm run chaos`: callers talk to agents over the whole system with several processes of each service, while processes
 * and servers are killed, paused and drained in turn. Then it checks every call, event, bill and callback. Exits with 1
 * if a check fails. See docs/internals/drills.md.
 */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { optionsOrUsage } from '../support/command-options.ts';
import { CHAOS_USAGE, readChaosOptions } from './chaos-options.ts';
import { tableOf } from './report.ts';
import { runChaos } from './run-chaos.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const options = optionsOrUsage(() => readChaosOptions(process.argv.slice(2)), CHAOS_USAGE);
const report = await runChaos(options, say);
say(`\n${tableOf(report)}`);
if (options.jsonPath !== null) {
  await writeFile(resolve(options.jsonPath), `${JSON.stringify(report, null, 2)}\n`);
  say(`\nwritten to ${options.jsonPath}`);
}
process.exit(Object.keys(report.violations).length === 0 ? 0 : 1);
