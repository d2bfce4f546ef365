import { parseArgs } from 'node:util';
import { oneOf, wholeNumber } from '../../support/command-options.ts';

/** `kill`: SIGKILL. `freeze`: SIGSTOP. `restart`: SIGTERM, as in a rolling restart. */
const FAULTS = ['kill', 'freeze', 'restart'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FailoverOptions {
  /** Number of live calls, all at one worker. */
  calls: number;
  /** Faults to inject, each into the worker that has the calls. */
  faults: readonly Fault[];
  /** Number of other workers at the time of a fault. */
  successors: number;
}

export function readFailoverOptions(args: readonly string[]): FailoverOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '100' },
      faults: { type: 'string', default: FAULTS.join(',') },
      successors: { type: 'string', default: '2' },
    },
  });
  return {
    calls: wholeNumber('calls', values.calls, 1, 1000),
    faults: values.faults.split(',').map((name) => oneOf('faults', FAULTS, name)),
    successors: wholeNumber('successors', values.successors, 1, 10),
  };
}
