import { parseArgs } from 'node:util';
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
