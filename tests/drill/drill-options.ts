import { existsSync, readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ServiceName, StackSize } from '@calls/local-stack/stack-size';
import type { ServerName } from '@calls/local-stack/servers/start-servers';
import { oneOf, wholeNumber } from '../support/command-options.ts';
import { DRILL_MEDIA, type DrillMedium } from './callers/drill-caller.ts';
import { LOSSES, type Loss } from './losses/lose-process.ts';

const KINDS = ['rolling-restart', 'scale', 'upgrade', 'rotate-keys', 'record-release', 'kill'] as const;

/** Services, and servers that `kill` also affects. */
export type DrillPart = ServiceName | ServerName;

export interface DrillOptions {
  kind: (typeof KINDS)[number];
  /** Number of times that each process is restarted or lost. */
  rounds: number;
  /** Services and servers whose processes are restarted or lost. */
  services: readonly DrillPart[];
  /** Kinds of losses of each process. */
  losses: readonly Loss[];
  calls: number;
  /** Media of the calls, in equal parts. */
  media: readonly DrillMedium[];
  size: StackSize;
  /** Number of NATS servers, which replicate all streams. */
  nats: number;
  /** The commit of the release before an upgrade; null for the default. */
  from: string | null;
  /** Folder that retains data and logs; null for a temporary one. */
  dataDir: string | null;
}

export const DRILL_USAGE =
  'usage: npm run drill -- rolling-restart|scale|upgrade|rotate-keys|record-release|kill\n' +
  '       [--rounds 1] [--calls 12] [--from COMMIT] [--control-planes 2] [--media-workers 3] [--dispatchers 2]\n' +
  '       [--services control-plane,media-worker,dispatcher,nats,redis,postgresql] [--nats 1]\n' +
  '       [--losses kill,freeze] [--media websocket,webrtc,phone,sip] [--keep FOLDER]\n' +
  '\n' +
  'Runs an operation during live calls, and prints how many ended early and how long agents were silent.\n' +
  '  rolling-restart  restarts every process of every service in turn\n' +
  '  scale            scales from one media-worker to several and back, as the autoscaler decides\n' +
  '  upgrade          upgrades an earlier release\n' +
  '  rotate-keys      replaces keys step by step\n' +
  '  kill             kills and freezes every process in turn\n' +
  '  record-release   records the stored data of an earlier release, for tests\n' +
  'Exit code: 0 no problems, 1 a call ended early or data was lost, 2 wrong usage. See docs/internals/drills.md.';

const SERVICES = ['control-plane', 'media-worker', 'dispatcher'] as const;
const SERVERS = ['nats', 'redis', 'postgresql'] as const;
const CALLS = 12;
/** Default number of calls for `kill`, which tests losses with many calls at once. */
const KILLED_CALLS = 50;

/** Throws an Error that describes the invalid option. */
export function readDrillOptions(args: readonly string[]): DrillOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '1' },
      calls: { type: 'string' },
      media: { type: 'string', default: DRILL_MEDIA.join(',') },
      services: { type: 'string' },
      losses: { type: 'string', default: LOSSES.join(',') },
      'control-planes': { type: 'string', default: '2' },
      'media-workers': { type: 'string', default: '3' },
      dispatchers: { type: 'string', default: '2' },
      nats: { type: 'string', default: '1' },
      from: { type: 'string' },
      keep: { type: 'string' },
    },
  });
  const kind = KINDS.find((each) => each === positionals[0]);
  if (!kind || positionals.length > 1) throw new Error(`name one drill: ${KINDS.join(', ')}`);
  if (values.from !== undefined && kind !== 'upgrade' && kind !== 'record-release')
    throw new Error('--from is an option of upgrade and record-release');
  const parts = kind === 'kill' ? [...SERVICES, ...SERVERS] : SERVICES;
  return {
    kind,
    rounds: wholeNumber('rounds', values.rounds, 1, 1000),
    calls: wholeNumber('calls', values.calls ?? String(kind === 'kill' ? KILLED_CALLS : CALLS), 1, 1000),
    media: values.media.split(',').map((name) => oneOf('media', DRILL_MEDIA, name)),
    services: values.services?.split(',').map((name) => oneOf('services', parts, name)) ?? parts,
    losses: values.losses.split(',').map((name) => oneOf('losses', LOSSES, name)),
    size: {
      'control-plane': wholeNumber('control-planes', values['control-planes'], 1, 6),
      'media-worker': wholeNumber('media-workers', values['media-workers'], 2, 32),
      dispatcher: wholeNumber('dispatchers', values.dispatchers, 1, 6),
    },
    nats: wholeNumber('nats', values.nats, 1, 5),
    from: values.from ?? null,
    dataDir: values.keep === undefined ? null : emptyFolder(values.keep),
  };
}

/** A drill needs a new database, without the calls and phone numbers of an earlier one. */
function emptyFolder(path: string): string {
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new Error(`--keep must name an empty or new folder; "${path}" has files`);
  return path;
}
