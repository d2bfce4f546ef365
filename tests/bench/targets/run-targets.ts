import { parseArgs } from 'node:util';
import { wholeNumber } from '../../support/command-options.ts';
import { readBenchOptions } from '../bench-options.ts';
import { tableOf, type BenchReport } from '../report.ts';
import { runBench } from '../run-bench.ts';
import type { TargetReports } from './targets.ts';

export interface TargetOptions {
  /** Duration of each of the five measurements. */
  seconds: number;
  /** Number of concurrent calls of the latency measurements. */
  quietCalls: number;
  fewCalls: number;
  manyCalls: number;
  jsonPath: string | null;
}

/** Throws an Error that describes the invalid option. */
export function readTargetOptions(args: readonly string[]): TargetOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      quiet: { type: 'string', default: '10' },
      few: { type: 'string', default: '10' },
      many: { type: 'string', default: '100' },
      json: { type: 'string' },
    },
  });
  return {
    seconds: wholeNumber('seconds', values.seconds, 1, 86_400),
    quietCalls: wholeNumber('quiet', values.quiet, 1, 5000),
    fewCalls: wholeNumber('few', values.few, 1, 5000),
    manyCalls: wholeNumber('many', values.many, 1, 5000),
    jsonPath: values.json ?? null,
  };
}

const SLOW_ENGINES = ['--stt-ms', '120', '--llm-ms', '250', '--tts-ms', '120'];

/** Runs five measurements, each on a new system. */
export async function runTargets(
  { seconds, quietCalls, fewCalls, manyCalls }: TargetOptions,
  say: (line: string) => void,
): Promise<TargetReports> {
  const measure = async (calls: number, ...more: string[]): Promise<BenchReport> => {
    const args = ['--calls', String(calls), '--seconds', String(seconds), ...more];
    say(`\nnpm run bench -- ${args.join(' ')}`);
    const report = await runBench(readBenchOptions(args), say);
    say(tableOf(report));
    return report;
  };
  return {
    streaming: await measure(quietCalls, ...SLOW_ENGINES, '--interim-ms', '20'),
    speculating: await measure(quietCalls, ...SLOW_ENGINES),
    waiting: await measure(quietCalls, ...SLOW_ENGINES, '--no-speculation'),
    few: await measure(fewCalls, '--recording'),
    many: await measure(manyCalls, '--recording'),
  };
}
