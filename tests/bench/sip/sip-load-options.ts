import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';

export interface SipLoadOptions {
  /** New calls per second. */
  rate: number;
  /** Maximum number of live calls. The duration of a call is chosen so that the rate leads to this number. */
  calls: number;
  /** Duration of the measurement. */
  seconds: number;
}

const USAGE = 'usage: npm run bench -- sip [--rate 20] [--calls 200] [--seconds 30]';

export function readSipLoadOptions(args: readonly string[]): SipLoadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string', default: '20' },
      calls: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '30' },
    },
  });
  const number = (name: 'rate' | 'calls' | 'seconds', max: number): number =>
    wholeNumber(name, values[name], { min: 1, max, usage: USAGE });
  return {
    rate: number('rate', 500),
    calls: number('calls', 2000),
    seconds: number('seconds', 3600),
  };
}
