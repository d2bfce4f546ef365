import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';

export interface CreationOptions {
  /** Requests per second. */
  rate: number;
  /** Duration of the measurement. */
  seconds: number;
  warmUpSeconds: number;
  /** Number of calls that the table contains at the start. */
  callsThere: number;
  /** File for the JSON report; null for none. */
  jsonPath: string | null;
}

export const CREATION_USAGE =
  'usage: npm run bench -- creation [--rate 100] [--seconds 20] [--warm-up 10] [--calls-there 0] [--json FILE]';

export function readCreationOptions(args: readonly string[]): CreationOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '20' },
      'warm-up': { type: 'string', default: '10' },
      'calls-there': { type: 'string', default: '0' },
      json: { type: 'string' },
    },
  });
  const number = (name: 'rate' | 'seconds' | 'warm-up' | 'calls-there', min: number, max: number): number =>
    wholeNumber(name, values[name], { min, max, usage: CREATION_USAGE });
  return {
    rate: number('rate', 1, 2000),
    seconds: number('seconds', 1, 3600),
    warmUpSeconds: number('warm-up', 0, 600),
    callsThere: number('calls-there', 0, 10_000_000),
    jsonPath: values.json ?? null,
  };
}
