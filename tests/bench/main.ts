/**
 * `npm run bench`: callers with recorded speech talk to agents over the whole system on this machine. The AI endpoints
 * are simulated with fixed delays in their own processes, reached over HTTP. Measures the latency that the service
 * adds, the lateness of audio, and the cost of a call. `npm run bench -- NAME` runs another bench:
 *
 * - `creation` creates calls at a steady rate.
 * - `capacity` compares the cost of a call with the formula of the capacity guide.
 * - `targets` measures the targets of the conversation engine and prints one table.
 * - `rtp` measures when SIP calls send packets while the main thread is busy.
 * - `sip` places SIP calls at a steady rate.
 * - `failover` kills, freezes and restarts a worker with SIP calls.
 * - `stt` measures the embedded STT engine on recordings of people.
 * - `voices` transcribes voices of Debian packages with the embedded STT engine.
 * - `interruptions` measures how the agent reacts to interruptions, backchannels, other sounds and echoes.
 * - `turns` compares end-of-turn detectors on human speech.
 * - `vad` measures the CPU time of a VAD window.
 * - `knowledge` measures retrieval from corpora.
 * - `compare` runs one of the benches with a JSON report in two checkouts in turn.
 *
 * See docs/internals/performance.md.
 */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { encodeWav } from '@calls/audio/wav';
import { optionsOrUsage } from '../support/options-or-usage.ts';
import { BENCH_USAGE, readBenchOptions } from './bench-options.ts';
import { capacityTable, readCapacityOptions, runCapacity } from './capacity/run-capacity.ts';
import { readCompareOptions } from './compare/compare-options.ts';
import { comparisonTable } from './compare/comparison.ts';
import { runCompare } from './compare/run-compare.ts';
import { readCreationOptions } from './creation/creation-options.ts';
import { creationFigures, creationTable, runCreation } from './creation/run-creation.ts';
import { readFailoverOptions } from './failover/failover-options.ts';
import { failoverTable, runFailover } from './failover/run-failover.ts';
import {
  interruptionTable,
  readInterruptionOptions,
  runInterruptions,
} from './interruptions/run-interruptions.ts';
import { benchSpeechToText } from './run-stt.ts';
import { knowledgeTable, readKnowledgeOptions, runKnowledge } from './knowledge/run-knowledge.ts';
import { machineLine, watchMachine } from './machine-use.ts';
import { figuresOf, tableOf } from './report.ts';
import { readRtpOptions } from './rtp/rtp-options.ts';
import { rtpTable, runRtp } from './rtp/run-rtp.ts';
import { runBench } from './run-bench.ts';
import { runSipLoad, sipLoadTable } from './sip/run-sip-load.ts';
import { readSipLoadOptions } from './sip/sip-load-options.ts';
import { RATE_HZ } from './turns/recordings/read-recording.ts';
import { caseAudio, runTurns } from './turns/run-turns.ts';
import { readTurnOptions } from './turns/turn-options.ts';
import { turnFigures, turnTable } from './turns/turn-report.ts';
import { benchVoices } from './run-voices.ts';
import { readVadOptions, runVad, vadFigures, vadTable } from './run-vad.ts';
import { readTargetOptions, runTargets } from './targets/run-targets.ts';
import { targetsOf, targetTable } from './targets/targets.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const [kind, ...rest] = process.argv.slice(2);
const readMachineUse = watchMachine();
/** Prints the use of the machine for benches whose reports do not contain it. */
const sayMachine = (): void => say(machineLine(readMachineUse()));
if (kind === 'compare') {
  const compareOptions = optionsOrUsage(() => readCompareOptions(rest), BENCH_USAGE);
  const comparison = await runCompare(compareOptions, say);
  say(`\n${comparisonTable(comparison)}`);
  await keep(compareOptions.jsonPath, comparison);
  process.exit(0);
}
if (kind === 'capacity') {
  const runs = optionsOrUsage(() => readCapacityOptions(rest), BENCH_USAGE);
  const checked = await runCapacity(runs, say);
  say(`\n${capacityTable(checked)}`);
  process.exit(checked.every(({ isMet }) => isMet) ? 0 : 1);
}
if (kind === 'creation') {
  const creationOptions = optionsOrUsage(() => readCreationOptions(rest), BENCH_USAGE);
  const creation = await runCreation(creationOptions, say);
  say(`\n${creationTable(creation)}`);
  await keep(creationOptions.jsonPath, { ...creation, figures: creationFigures(creation) });
  process.exit(0);
}
if (kind === 'rtp') {
  const rtpOptions = optionsOrUsage(() => readRtpOptions(rest), BENCH_USAGE);
  say(`\n${rtpTable(await runRtp(rtpOptions, say))}`);
  sayMachine();
  process.exit(0);
}
if (kind === 'sip') {
  const sipOptions = optionsOrUsage(() => readSipLoadOptions(rest), BENCH_USAGE);
  say(`\n${sipLoadTable(await runSipLoad(sipOptions, say))}`);
  sayMachine();
  process.exit(0);
}
if (kind === 'failover') {
  const failoverOptions = optionsOrUsage(() => readFailoverOptions(rest), BENCH_USAGE);
  const failovers = await runFailover(failoverOptions, say);
  say(`\n${failoverTable(failovers)}`);
  sayMachine();
  process.exit(failovers.every(({ lost }) => lost === 0) ? 0 : 1);
}
if (kind === 'stt') {
  await benchSpeechToText(say);
  sayMachine();
  process.exit(0);
}
if (kind === 'voices') {
  await benchVoices(
    optionsOrUsage(() => rest, BENCH_USAGE),
    say,
  );
  sayMachine();
  process.exit(0);
}
if (kind === 'vad') {
  const vadOptions = optionsOrUsage(() => readVadOptions(rest), BENCH_USAGE);
  const vad = await runVad();
  say(`\n${vadTable(vad)}`);
  await keep(vadOptions.jsonPath, { ...vad, figures: vadFigures(vad) });
  process.exit(0);
}
if (kind === 'turns') {
  const turnOptions = optionsOrUsage(() => readTurnOptions(rest, BENCH_USAGE), BENCH_USAGE);
  if (turnOptions.wav) {
    const { samples, parts } = await caseAudio(turnOptions.wav.caseId, turnOptions.scale);
    await writeFile(resolve(turnOptions.wav.path), encodeWav(samples, RATE_HZ));
    say(JSON.stringify(parts, null, 2));
    process.exit(0);
  }
  const turnReports = await runTurns(turnOptions, say);
  say(`\n${turnTable(turnReports)}`);
  await keep(turnOptions.jsonPath, { reports: turnReports, figures: turnFigures(turnReports) });
  process.exit(0);
}
if (kind === 'interruptions') {
  const interruptionOptions = optionsOrUsage(() => readInterruptionOptions(rest, BENCH_USAGE), BENCH_USAGE);
  const overlaps = await runInterruptions(interruptionOptions, say);
  say(`\n${interruptionTable(overlaps)}`);
  await keep(interruptionOptions.jsonPath, overlaps);
  process.exit(0);
}
if (kind === 'knowledge') {
  const knowledgeOptions = optionsOrUsage(() => readKnowledgeOptions(rest), BENCH_USAGE);
  const knowledge = await runKnowledge(knowledgeOptions, say);
  say(`\n${knowledgeTable(knowledge)}`);
  sayMachine();
  await keep(knowledgeOptions.jsonPath, knowledge);
  process.exit(0);
}
if (kind === 'targets') {
  const targetOptions = optionsOrUsage(() => readTargetOptions(rest), BENCH_USAGE);
  const reports = await runTargets(targetOptions, say);
  const targets = targetsOf(reports);
  say(`\n${targetTable(targets)}`);
  await keep(targetOptions.jsonPath, { targets, reports });
  process.exit(targets.every(({ isMet }) => isMet) ? 0 : 1);
}
const options = optionsOrUsage(() => readBenchOptions(process.argv.slice(2)), BENCH_USAGE);
const report = await runBench(options, say);
say(`\n${tableOf(report)}`);
await keep(options.jsonPath, { ...report, figures: figuresOf(report) });
process.exit(report.turns.lostCalls.length > 0 || report.turns.answered === 0 ? 1 : 0);

async function keep(jsonPath: string | null, figures: unknown): Promise<void> {
  if (jsonPath === null) return;
  await writeFile(resolve(jsonPath), `${JSON.stringify(figures, null, 2)}\n`);
  say(`\nwritten to ${jsonPath}`);
}
