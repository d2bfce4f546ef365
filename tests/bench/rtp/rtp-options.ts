import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';

export interface RtpOptions {
  calls: number;
  /** Duration of each run. */
  seconds: number;
  /** Each run sends from the main thread, then from the RTP thread. */
  runs: number;
  isEncrypted: boolean;
}

const USAGE = 'usage: npm run bench -- rtp [--calls 100] [--seconds 20] [--runs 2] [--encrypted]';

export function readRtpOptions(args: readonly string[]): RtpOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '20' },
      runs: { type: 'string', default: '2' },
      encrypted: { type: 'boolean', default: false },
    },
  });
  const number = (name: 'calls' | 'seconds' | 'runs', max: number): number =>
    wholeNumber(name, values[name], { min: 1, max, usage: USAGE });
  return {
    calls: number('calls', 1000),
    seconds: number('seconds', 3600),
    runs: number('runs', 100),
    isEncrypted: values.encrypted,
  };
}
