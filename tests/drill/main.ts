/**
 * `npm run drill -- rolling-restart`: restarts every process of every service in turn under live calls by WebSocket,
 * WebRTC and SIP, and prints how many calls ended early and how long agents were silent. Exits with 1 if a call was
 * lost. See docs/internals/fault-tests.md.
 */
import { toError } from '@calls/foundation/errors';
import { readDrillOptions, type DrillOptions } from './drill-options.ts';
import { startDrillStack } from './drill-stack.ts';
import { drillTable, runRollingRestart } from './rolling-restart.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const options = optionsOrUsage();
say('starting the system');
const rows = await run();
say(`\n${drillTable(rows)}`);
process.exit(rows.every(({ endedEarly }) => endedEarly === 0) ? 0 : 1);

async function run() {
  await using drill = await startDrillStack(options);
  return await runRollingRestart(drill.stack, options, say);
}

function optionsOrUsage(): DrillOptions {
  try {
    return readDrillOptions(process.argv.slice(2));
  } catch (thrown) {
    process.stderr.write(`${toError(thrown).message}\n`);
    process.exit(2);
  }
}
