import { parseArgs } from 'node:util';
import { wholeNumber } from '../../support/command-options.ts';

export interface SipLoadOptions {
  /** New calls per second. */
  rate: number;
  /** Maximum number of live calls. The duration of a call is chosen so that the rate leads to this number. */
  calls: number;
  /** Duration of the measurement. */
  seconds: number;
}

export function readSipLoadOptions(args: readonly string[]): SipLoadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string', default: '20' },
      calls: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '30' },
    },
  });
  return {
    rate: wholeNumber('rate', values.rate, 1, 500),
    calls: wholeNumber('calls', values.calls, 1, 2000),
    seconds: wholeNumber('seconds', values.seconds, 1, 3600),
  };
}
