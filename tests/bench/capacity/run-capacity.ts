import { parseArgs } from 'node:util';
import { markdownTable } from '../../support/markdown-table.ts';
import { BENCH_MEDIA, readBenchOptions, type BenchOptions } from '../bench-options.ts';
import { round } from '../distribution.ts';
import { tableOf, type BenchReport } from '../report.ts';
import { runBench } from '../run-bench.ts';

/** Permitted deviation of the measured cost of a call from the predicted one. */
const MAX_DEVIATION = 0.2;

/** Throws an Error that describes the invalid option. */
export function readCapacityOptions(args: readonly string[]): BenchOptions[] {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '50' },
      seconds: { type: 'string', default: '30' },
      media: { type: 'string', default: BENCH_MEDIA.join(',') },
    },
  });
  return values.media
    .split(',')
    .map((medium) =>
      readBenchOptions([
        ...['--medium', medium, '--calls', values.calls, '--seconds', values.seconds, '--recording'],
      ]),
    );
}

export interface CheckedCost {
  report: BenchReport;
  /** Cost of a call in percent of one core. */
  predicted: number;
  measured: number;
  isMet: boolean;
}

/** Compares the cost of a call by the formula of the capacity guide with the measured cost, for each medium. */
export async function runCapacity(
  runs: readonly BenchOptions[],
  say: (line: string) => void,
): Promise<CheckedCost[]> {
  const checked: CheckedCost[] = [];
  for (const options of runs) {
    const report = await runBench(options, say);
    say(tableOf(report));
    checked.push(checkedCost(report));
  }
  return checked;
}

export function checkedCost(report: BenchReport): CheckedCost {
  const predicted = report.capacity.predictedPercentPerCall;
  const measured = round(report.workerCpuPercentPerCall + report.mediasoupCpuPercentPerCall);
  return { report, predicted, measured, isMet: Math.abs(measured / predicted - 1) <= MAX_DEVIATION };
}

/** A Markdown table of predicted and measured costs. */
export function capacityTable(checked: readonly CheckedCost[]): string {
  const limit = `within ${MAX_DEVIATION * 100} %`;
  return markdownTable(
    ['medium', 'calls', '% of a core per call, predicted', 'measured', 'ratio', limit],
    checked.map(({ report: { options }, predicted, measured, isMet }) => [
      ...[options.medium, options.calls, predicted, measured],
      ...[round(measured / predicted), isMet ? 'yes' : 'NO'],
    ]),
  );
}
