import { parseArgs } from 'node:util';
import type { ServiceName, StackSize } from '@calls/local-stack/stack-size';
import { wholeNumber } from '../bench/whole-number.ts';
import { DRILL_MEDIA, type DrillMedium } from './callers/drill-caller.ts';

const KINDS = ['rolling-restart', 'scale', 'upgrade', 'rotate-keys', 'record-release'] as const;

export interface DrillOptions {
  kind: (typeof KINDS)[number];
  /** How often each process is restarted. */
  rounds: number;
  /** Whose processes are restarted. */
  services: readonly ServiceName[];
  calls: number;
  /** The calls are divided among them. */
  media: readonly DrillMedium[];
  size: StackSize;
  /** The commit of the release before an upgrade; null for the usual one. */
  from: string | null;
  /** Folder that retains data and logs; null for a temporary one. */
  dataDir: string | null;
}

export const DRILL_USAGE =
  'usage: npm run drill -- rolling-restart|scale|upgrade|rotate-keys|record-release\n' +
  '       [--rounds 1] [--calls 12] [--from COMMIT]\n' +
  '       [--services control-plane,media-worker,dispatcher] [--control-planes 2] [--media-workers 3]\n' +
  '       [--dispatchers 2] [--media websocket,webrtc,phone,sip] [--keep FOLDER]';

const SERVICES = ['control-plane', 'media-worker', 'dispatcher'] as const;

/** Throws an Error that describes the invalid option. */
export function readDrillOptions(args: readonly string[]): DrillOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '1' },
      calls: { type: 'string', default: '12' },
      media: { type: 'string', default: DRILL_MEDIA.join(',') },
      services: { type: 'string', default: SERVICES.join(',') },
      'control-planes': { type: 'string', default: '2' },
      'media-workers': { type: 'string', default: '3' },
      dispatchers: { type: 'string', default: '2' },
      from: { type: 'string' },
      keep: { type: 'string' },
    },
  });
  const kind = KINDS.find((each) => each === positionals[0]);
  if (!kind || positionals.length > 1) throw new Error(DRILL_USAGE);
  if (values.from !== undefined && kind !== 'upgrade' && kind !== 'record-release')
    throw new Error(`--from is an option of upgrade and record-release\n${DRILL_USAGE}`);
  const number = (name: string, text: string, min: number, max: number): number =>
    wholeNumber(name, text, { min, max, usage: DRILL_USAGE });
  return {
    kind,
    rounds: number('rounds', values.rounds, 1, 1000),
    calls: number('calls', values.calls, 1, 1000),
    media: values.media.split(',').map((name) => oneOf('media', DRILL_MEDIA, name)),
    services: values.services.split(',').map((name) => oneOf('services', SERVICES, name)),
    size: {
      'control-plane': number('control-planes', values['control-planes'], 1, 6),
      'media-worker': number('media-workers', values['media-workers'], 2, 32),
      dispatcher: number('dispatchers', values.dispatchers, 1, 6),
    },
    from: values.from ?? null,
    dataDir: values.keep ?? null,
  };
}

function oneOf<T extends string>(option: string, known: readonly T[], name: string): T {
  const found = known.find((each) => each === name);
  if (!found) throw new Error(`--${option} must be of ${known.join(', ')}, not "${name}"\n${DRILL_USAGE}`);
  return found;
}
