import { parseArgs } from 'node:util';
import { wholeNumber } from '../../support/command-options.ts';

export interface RtpOptions {
  calls: number;
  /** Duration of each run. */
  seconds: number;
  /** Each run sends from the main thread, then from the RTP thread. */
  runs: number;
  isEncrypted: boolean;
}

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
  return {
    calls: wholeNumber('calls', values.calls, 1, 1000),
    seconds: wholeNumber('seconds', values.seconds, 1, 3600),
    runs: wholeNumber('runs', values.runs, 1, 100),
    isEncrypted: values.encrypted,
  };
}
