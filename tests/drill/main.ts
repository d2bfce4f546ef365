/**
 * `npm run drill -- rolling-restart`: restarts every process of every service in turn under live calls by WebSocket,
 * WebRTC and SIP. `npm run drill -- scale`: goes from one media worker to several and back. Prints how many calls ended
 * early and how long agents were silent. Exits with 1 if a call ended early. See docs/internals/testing.md.
 */
import { toError } from '@calls/foundation/errors';
import { readDrillOptions, type DrillOptions } from './drill-options.ts';
import { startDrillStack } from './drill-stack.ts';
import { drillTable } from './drill-calls.ts';
import { runRollingRestart, runScale } from './rolling-restart.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const options = optionsOrUsage();
say('starting the system');
const rows = await run();
say(`\n${drillTable(rows)}`);
process.exit(rows.every(({ endedEarly }) => endedEarly === 0) ? 0 : 1);

async function run() {
  await using drill = await startDrillStack(options);
  const runDrill = { 'rolling-restart': runRollingRestart, scale: runScale }[options.kind];
  return await runDrill(drill.stack, options, say);
}

function optionsOrUsage(): DrillOptions {
  try {
    return readDrillOptions(process.argv.slice(2));
  } catch (thrown) {
    process.stderr.write(`${toError(thrown).message}\n`);
    process.exit(2);
  }
}
