import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';

/** `kill`: SIGKILL. `freeze`: SIGSTOP. `restart`: SIGTERM, as in a rolling restart. */
export const FAULTS = ['kill', 'freeze', 'restart'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FailoverOptions {
  /** Number of live calls, all at one worker. */
  calls: number;
  /** Faults to inject, each into the worker that has the calls. */
  faults: readonly Fault[];
  /** Number of other workers at the time of a fault. */
  successors: number;
}

const USAGE =
  'usage: npm run bench -- failover [--calls 100] [--faults kill,freeze,restart] [--successors 2]';

export function readFailoverOptions(args: readonly string[]): FailoverOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '100' },
      faults: { type: 'string', default: FAULTS.join(',') },
      successors: { type: 'string', default: '2' },
    },
  });
  const number = (name: 'calls' | 'successors', max: number): number =>
    wholeNumber(name, values[name], { min: 1, max, usage: USAGE });
  return {
    calls: number('calls', 1000),
    faults: values.faults.split(',').map(faultOf),
    successors: number('successors', 10),
  };
}

function faultOf(name: string): Fault {
  const fault = FAULTS.find((each) => each === name);
  if (!fault) throw new Error(`faults must be of ${FAULTS.join(', ')} (got ${name})\n${USAGE}`);
  return fault;
}
