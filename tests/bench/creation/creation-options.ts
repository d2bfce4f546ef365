import { parseArgs } from 'node:util';
import { wholeNumber } from '../../support/command-options.ts';

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
  return {
    rate: wholeNumber('rate', values.rate, 1, 2000),
    seconds: wholeNumber('seconds', values.seconds, 1, 3600),
    warmUpSeconds: wholeNumber('warm-up', values['warm-up'], 0, 600),
    callsThere: wholeNumber('calls-there', values['calls-there'], 0, 10_000_000),
    jsonPath: values.json ?? null,
  };
}
