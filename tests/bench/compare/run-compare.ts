import { parseArgs } from 'node:util';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { machineLine } from '../machine-use.ts';
import { comparisonOf, type ComparedRun, type Comparison, type RunPair } from './comparison.ts';
import { wholeNumber } from '../../support/command-options.ts';

export interface CompareOptions {
  /** Folder of the checkout to compare with. */
  other: string;
  /** Number of runs of each checkout. */
  pairs: number;
  /** Arguments of each run. */
  args: readonly string[];
  jsonPath: string | null;
}

export function readCompareOptions(args: readonly string[]): CompareOptions {
  const at = args.indexOf('--');
  const own = at < 0 ? args : args.slice(0, at);
  const rest: readonly string[] = at < 0 ? [] : args.slice(at + 1);
  const { values, positionals } = parseArgs({
    args: [...own],
    allowPositionals: true,
    options: { pairs: { type: 'string', default: '3' }, json: { type: 'string' } },
  });
  const [other, ...more] = positionals;
  if (other === undefined || more.length > 0) throw new Error('name one OTHER_CHECKOUT');
  if (rest.includes('--json')) throw new Error('--json belongs before the --');
  return {
    other,
    pairs: wholeNumber('pairs', values.pairs, 1, 100),
    args: rest,
    jsonPath: values.json ?? null,
  };
}

const THIS_CHECKOUT = resolve(import.meta.dirname, '../../..');

/**
 * Runs the same bench in another checkout ("before") and in this one ("after"), in turn, so that other load on the
 * machine affects both. Every other pair runs in reverse order.
 */
export async function runCompare(options: CompareOptions, say: (line: string) => void): Promise<Comparison> {
  const other = resolve(options.other);
  const run = async (name: string, checkout: string): Promise<ComparedRun> => {
    const measured = await runIn(checkout, options.args);
    say(`${name.padEnd(8)} ${machineLine(measured.machineUse)}`);
    return measured;
  };
  const pairs: RunPair[] = [];
  for (let pair = 0; pair < options.pairs; pair += 1) {
    say(`pair ${pair + 1} of ${options.pairs}`);
    if (pair % 2 === 0) {
      const before = await run('before', other);
      pairs.push({ before, after: await run('after', THIS_CHECKOUT) });
    } else {
      const after = await run('after', THIS_CHECKOUT);
      pairs.push({ before: await run('before', other), after });
    }
  }
  return comparisonOf(pairs);
}

async function runIn(checkout: string, args: readonly string[]): Promise<ComparedRun> {
  const folder = await mkdtemp(join(tmpdir(), 'calls-compare-'));
  try {
    const jsonPath = join(folder, 'report.json');
    const script = join(checkout, 'tests/bench/main.ts');
    const child = spawn(process.execPath, [script, ...args, '--json', jsonPath], {
      cwd: checkout,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    const report = await readFile(jsonPath, 'utf8').catch(() => null);
    if (report === null) throw new Error(`the bench in ${checkout} ended with ${code} and wrote no report`);
    const { machineUse, figures } = JSON.parse(report) as Partial<ComparedRun>;
    if (!machineUse || !figures) throw new Error(`the bench in ${checkout} is too old to be compared`);
    return { machineUse, figures };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
