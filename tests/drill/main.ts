/** `npm run drill -- NAME` runs an operation during live calls over WebSocket, WebRTC, phone and SIP. See DRILL_USAGE. */
import { optionsOrUsage } from '../support/command-options.ts';
import { DRILL_USAGE, readDrillOptions } from './drill-options.ts';
import { startDrillStack } from './drill-stack.ts';
import { runKeyRotation } from './key-rotation.ts';
import { drillTable, type DrillResult } from './drill-calls.ts';
import { runRollingRestart } from './rolling-restart.ts';
import { runScale } from './scale.ts';
import { thawWhenInterrupted } from './losses/lose-process.ts';
import { lossProblems, lossTable, runLosses } from './losses/run-losses.ts';
import { recordRelease } from './upgrade/record-release.ts';
import { runUpgrade } from './upgrade/upgrade.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const options = optionsOrUsage(() => readDrillOptions(process.argv.slice(2)), DRILL_USAGE);
const { table, problems } = await run();
say(`\n${table}`);
for (const problem of problems) say(problem);
process.exit(problems.length === 0 ? 0 : 1);

async function run(): Promise<{ table: string; problems: string[] }> {
  const { kind } = options;
  if (kind === 'upgrade') {
    const result = await runUpgrade(options, say);
    say(`calls between the steps: ${result.callsBetween}`);
    return { table: drillTable(result.rows), problems: problemsOf(result) };
  }
  if (kind === 'record-release') {
    await recordRelease(options, say);
    return { table: '', problems: [] };
  }
  if (kind === 'rotate-keys') {
    const rotated = await runKeyRotation(options, say);
    return { table: drillTable(rotated.rows), problems: problemsOf(rotated) };
  }
  say('starting the system');
  await using drill = await startDrillStack(options);
  if (kind === 'kill') {
    thawWhenInterrupted();
    const { losses, ...result } = await runLosses(drill, options, say);
    return { table: lossTable(losses), problems: [...losses.flatMap(lossProblems), ...problemsOf(result)] };
  }
  const runDrill = { 'rolling-restart': runRollingRestart, scale: runScale }[kind];
  const result = await runDrill(drill, options, say);
  return { table: drillTable(result.rows), problems: problemsOf(result) };
}

function problemsOf({ rows, problems }: DrillResult): string[] {
  const early = rows.flatMap(({ medium, endedEarly }) =>
    endedEarly === 0 ? [] : [`${endedEarly} ${medium} calls ended early`],
  );
  return [...early, ...problems];
}
