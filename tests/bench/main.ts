/**
 * `npm run bench`: callers with recorded speech talk to agents over the whole system on this machine. The AI endpoints
 * are simulated with fixed delays in their own processes, reached over HTTP. Measures the latency that the service
 * adds, the lateness of audio, and the cost of a call. `npm run bench -- NAME` runs another of the benches below. See
 * docs/internals/performance.md.
 */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { encodeWav } from '@calls/audio/wav';
import { optionsOrUsage } from '../support/command-options.ts';
import { BENCH_USAGE, readBenchOptions } from './bench-options.ts';
import { capacityTable, readCapacityOptions, runCapacity } from './capacity/run-capacity.ts';
import { comparisonTable } from './compare/comparison.ts';
import { readCompareOptions, runCompare } from './compare/run-compare.ts';
import { creationFigures, creationTable, readCreationOptions, runCreation } from './creation/run-creation.ts';
import { failoverTable, readFailoverOptions, runFailover } from './failover/run-failover.ts';
import {
  interruptionTable,
  readInterruptionOptions,
  runInterruptions,
} from './interruptions/run-interruptions.ts';
import { benchSpeechToText, speechToTextTable } from './run-stt.ts';
import { knowledgeTable, readKnowledgeOptions, runKnowledge } from './knowledge/run-knowledge.ts';
import { machineLine, watchMachine } from './machine-use.ts';
import { figuresOf, tableOf } from './report.ts';
import { readPacketLossOptions, runPacketLoss } from './packet-loss/run-packet-loss.ts';
import { readRtpOptions, rtpTable, runRtp } from './rtp/run-rtp.ts';
import { runBench } from './run-bench.ts';
import { readSipLoadOptions, runSipLoad, sipLoadTable } from './sip/run-sip-load.ts';
import { RATE_HZ } from './turns/recordings/read-recording.ts';
import { caseAudio, readTurnOptions, runTurns } from './turns/run-turns.ts';
import { turnFigures, turnTable } from './turns/turn-report.ts';
import { benchVoices } from './run-voices.ts';
import { readVadOptions, runVad, vadFigures, vadTable } from './run-vad.ts';
import { readTargetOptions, runTargets } from './targets/run-targets.ts';
import { targetsOf, targetTable } from './targets/targets.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const [name = '', ...rest] = process.argv.slice(2);
const readMachineUse = watchMachine();

function optionsOf<T>(read: (args: readonly string[]) => T): T {
  return optionsOrUsage(() => read(rest), BENCH_USAGE);
}

interface Outcome {
  table: string;
  /** For the file of `--json`. */
  json?: { path: string | null; content: unknown };
  /** False if a target is missed or calls were lost. Default: true. */
  isMet?: boolean;
  /** Whether to print the use of the machine, for reports that do not contain it. */
  printsMachine?: boolean;
}

const BENCHES: Readonly<Record<string, () => Promise<Outcome>>> = {
  /** Runs another bench that has a JSON report in two checkouts in turn. */
  async compare() {
    const options = optionsOf(readCompareOptions);
    const comparison = await runCompare(options, say);
    return { table: comparisonTable(comparison), json: { path: options.jsonPath, content: comparison } };
  },
  /** Compares the cost of a call with the formula of the capacity guide. */
  async capacity() {
    const checked = await runCapacity(optionsOf(readCapacityOptions), say);
    return { table: capacityTable(checked), isMet: checked.every(({ isMet }) => isMet) };
  },
  /** Creates calls at a steady rate. */
  async creation() {
    const options = optionsOf(readCreationOptions);
    const report = await runCreation(options, say);
    const content = { ...report, figures: creationFigures(report) };
    return { table: creationTable(report), json: { path: options.jsonPath, content } };
  },
  /** Measures word errors of speech over lossy networks. */
  async 'packet-loss'() {
    return { table: await runPacketLoss(optionsOf(readPacketLossOptions), say) };
  },
  /** Measures when SIP calls send packets while the main thread is busy. */
  async rtp() {
    return { table: rtpTable(await runRtp(optionsOf(readRtpOptions), say)), printsMachine: true };
  },
  /** Places SIP calls at a steady rate. */
  async sip() {
    return { table: sipLoadTable(await runSipLoad(optionsOf(readSipLoadOptions), say)), printsMachine: true };
  },
  /** Kills, freezes and restarts a worker with SIP calls. */
  async failover() {
    const reports = await runFailover(optionsOf(readFailoverOptions), say);
    const isMet = reports.every(({ lost }) => lost === 0);
    return { table: failoverTable(reports), isMet, printsMachine: true };
  },
  /** Measures the embedded STT engine on recordings of people. */
  async stt() {
    return { table: speechToTextTable(await benchSpeechToText(say)), printsMachine: true };
  },
  /** Transcribes voices of Debian packages with the embedded STT engine. */
  async voices() {
    return {
      table: await benchVoices(
        optionsOf((args) => args),
        say,
      ),
      printsMachine: true,
    };
  },
  /** Measures the CPU time of a VAD window. */
  async vad() {
    const { jsonPath } = optionsOf(readVadOptions);
    const report = await runVad();
    return {
      table: vadTable(report),
      json: { path: jsonPath, content: { ...report, figures: vadFigures(report) } },
    };
  },
  /** Compares end-of-turn detectors on human speech. */
  async turns() {
    const options = optionsOf(readTurnOptions);
    if (options.wav) {
      const { samples, parts } = await caseAudio(options.wav.caseId, options.scale);
      await writeFile(resolve(options.wav.path), encodeWav(samples, RATE_HZ));
      return { table: JSON.stringify(parts, null, 2) };
    }
    const reports = await runTurns(options, say);
    const content = { reports, figures: turnFigures(reports) };
    return { table: turnTable(reports), json: { path: options.jsonPath, content } };
  },
  /** Measures how the agent reacts to interruptions, backchannels, other sounds and echoes. */
  async interruptions() {
    const options = optionsOf(readInterruptionOptions);
    const overlaps = await runInterruptions(options, say);
    return { table: interruptionTable(overlaps), json: { path: options.jsonPath, content: overlaps } };
  },
  /** Measures retrieval from corpora. */
  async knowledge() {
    const options = optionsOf(readKnowledgeOptions);
    const report = await runKnowledge(options, say);
    const json = { path: options.jsonPath, content: report };
    return { table: knowledgeTable(report), json, printsMachine: true };
  },
  /** Measures the targets of the conversation engine. */
  async targets() {
    const options = optionsOf(readTargetOptions);
    const reports = await runTargets(options, say);
    const targets = targetsOf(reports);
    const json = { path: options.jsonPath, content: { targets, reports } };
    return { table: targetTable(targets), json, isMet: targets.every(({ isMet }) => isMet) };
  },
};

async function calls(): Promise<Outcome> {
  const options = optionsOrUsage(() => readBenchOptions(process.argv.slice(2)), BENCH_USAGE);
  const report = await runBench(options, say);
  const { lostCalls, answered } = report.turns;
  return {
    table: tableOf(report),
    json: { path: options.jsonPath, content: { ...report, figures: figuresOf(report) } },
    isMet: lostCalls.length === 0 && answered > 0,
  };
}

const { table, json, isMet = true, printsMachine = false } = await (BENCHES[name] ?? calls)();
say(`\n${table}`);
if (printsMachine) say(machineLine(readMachineUse()));
if (json && json.path !== null) {
  await writeFile(resolve(json.path), `${JSON.stringify(json.content, null, 2)}\n`);
  say(`\nwritten to ${json.path}`);
}
process.exit(isMet ? 0 : 1);
