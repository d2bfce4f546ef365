/**
 * `npm run drill -- rolling-restart`: restarts every process of every service in turn under live calls by WebSocket,
 * WebRTC, phone and SIP. `npm run drill -- scale`: goes from one media worker to several and back, as the autoscaler
 * decides. `npm run drill -- upgrade`: upgrades an earlier release. `npm run drill -- rotate-keys`: replaces keys step by
 * step. Prints how many calls ended early and how long agents were silent. Exits with 1 if a call ended early or data was
 * lost. `npm run drill -- record-release`: records what an earlier release stores. See docs/internals/testing.md.
 */
import { toError } from '@calls/foundation/errors';
import { readDrillOptions, type DrillOptions } from './drill-options.ts';
import { startDrillStack } from './drill-stack.ts';
import { runKeyRotation } from './key-rotation.ts';
import { drillTable, type DrillResult } from './drill-calls.ts';
import { runRollingRestart } from './rolling-restart.ts';
import { runScale } from './scale.ts';
import { recordRelease } from './upgrade/record-release.ts';
import { runUpgrade } from './upgrade/upgrade.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const options = optionsOrUsage();
const { rows, problems } = await run();
say(`\n${drillTable(rows)}`);
for (const problem of problems) say(problem);
process.exit(problems.length === 0 && rows.every(({ endedEarly }) => endedEarly === 0) ? 0 : 1);

async function run(): Promise<DrillResult> {
  const { kind } = options;
  if (kind === 'upgrade') {
    const result = await runUpgrade(options, say);
    say(`calls between the steps: ${result.callsBetween}`);
    return result;
  }
  if (kind === 'record-release') {
    await recordRelease(options, say);
    return { rows: [], problems: [] };
  }
  if (kind === 'rotate-keys') return await runKeyRotation(options, say);
  say('starting the system');
  await using drill = await startDrillStack(options);
  const runDrill = { 'rolling-restart': runRollingRestart, scale: runScale }[kind];
  return await runDrill(drill, options, say);
}

function optionsOrUsage(): DrillOptions {
  try {
    return readDrillOptions(process.argv.slice(2));
  } catch (thrown) {
    process.stderr.write(`${toError(thrown).message}\n`);
    process.exit(2);
  }
}
