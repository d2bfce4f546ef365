import { parseArgs } from 'node:util';
import type { StackSize } from '@calls/local-stack/stack-size';
import { wholeNumber } from '../support/command-options.ts';

export interface ChaosOptions {
  /** Number of concurrent calls. */
  calls: number;
  /** How long faults are injected. Calls in progress then end as planned. */
  durationMs: number;
  /** If set, inject each fault this many times instead of for a time. */
  rounds: number | null;
  /** Time between the recovery from one fault and the next one. */
  calmMs: number;
  /** How long a paused worker is stopped. */
  pauseMs: number;
  /** Range of the call durations. */
  talkMs: readonly [least: number, most: number];
  size: StackSize;
  /** Services and servers to inject faults into; null for all. */
  only: readonly string[] | null;
  /** Seed of all random choices. */
  seed: number;
  /** File for the JSON report; null for none. */
  jsonPath: string | null;
  /** Folder that retains data and logs; null for a temporary one. */
  dataDir: string | null;
}

export const CHAOS_USAGE =
  'usage: npm run chaos -- [--minutes 10 | --seconds 600 | --rounds 5] [--calls 50] [--calm-ms 4000] [--pause-ms 9000]\n' +
  '       [--talk-seconds 30] [--control-planes 2] [--media-workers 3] [--dispatchers 2] [--seed 1]\n' +
  '       [--only media-worker,nats] [--json FILE] [--keep FOLDER]\n' +
  '\n' +
  'Kills, pauses and drains processes and servers during live calls, then checks every call, event, bill and callback.\n' +
  'Exit code: 0 no problems, 1 a check failed, 2 wrong usage. See docs/internals/drills.md.';

/** Throws an Error that describes the invalid option. */
export function readChaosOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      calls: { type: 'string', default: '50' },
      'calm-ms': { type: 'string', default: '4000' },
      'pause-ms': { type: 'string', default: '9000' },
      'talk-seconds': { type: 'string', default: '30' },
      'control-planes': { type: 'string', default: '2' },
      'media-workers': { type: 'string', default: '3' },
      dispatchers: { type: 'string', default: '2' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      json: { type: 'string' },
      keep: { type: 'string' },
    },
  });
  const seconds =
    values.seconds === undefined
      ? wholeNumber('minutes', values.minutes, 1, 10_000) * 60
      : wholeNumber('seconds', values.seconds, 5, 86_400);
  const talkMs = wholeNumber('talk-seconds', values['talk-seconds'], 2, 600) * 1000;
  return {
    calls: wholeNumber('calls', values.calls, 1, 1000),
    durationMs: seconds * 1000,
    rounds: values.rounds === undefined ? null : wholeNumber('rounds', values.rounds, 1, 10_000),
    calmMs: wholeNumber('calm-ms', values['calm-ms'], 0, 600_000),
    pauseMs: wholeNumber('pause-ms', values['pause-ms'], 0, 600_000),
    talkMs: [talkMs / 4, talkMs],
    size: {
      'control-plane': wholeNumber('control-planes', values['control-planes'], 1, 6),
      'media-worker': wholeNumber('media-workers', values['media-workers'], 1, 32),
      dispatcher: wholeNumber('dispatchers', values.dispatchers, 1, 6),
    },
    seed: wholeNumber('seed', values.seed, 0, 2 ** 31),
    only: values.only?.split(',') ?? null,
    jsonPath: values.json ?? null,
    dataDir: values.keep ?? null,
  };
}
