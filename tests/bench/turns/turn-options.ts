import { parseArgs } from 'node:util';
import type { TurnSet } from './recordings/recording.ts';

export interface TurnOptions {
  sets: readonly TurnSet[];
  /** Fraction of the turns per speaker, 1 for the published figures. */
  scale: number;
  /** The end-of-turn model to test. */
  modelPath: string | null;
  jsonPath: string | null;
  /** If set, the bench writes the audio of this case instead. */
  wav: { caseId: string; path: string } | null;
}

/** Throws an Error that describes the invalid option. */
export function readTurnOptions(args: readonly string[]): TurnOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      set: { type: 'string', default: 'held-out' },
      scale: { type: 'string', default: '1' },
      model: { type: 'string' },
      json: { type: 'string' },
      case: { type: 'string' },
      wav: { type: 'string' },
    },
  });
  const { set, case: caseId, wav: path } = values;
  if (set !== 'tuning' && set !== 'held-out' && set !== 'both')
    throw new Error(`--set must be tuning, held-out or both, not "${set}"`);
  const scale = Number(values.scale);
  if (!(scale > 0 && scale <= 1))
    throw new Error(`--scale must be above 0 and at most 1, not "${values.scale}"`);
  if ((caseId === undefined) !== (path === undefined)) throw new Error('--case and --wav need each other');
  return {
    sets: set === 'both' ? ['tuning', 'held-out'] : [set],
    scale,
    modelPath: values.model ?? null,
    jsonPath: values.json ?? null,
    wav: caseId !== undefined && path !== undefined ? { caseId, path } : null,
  };
}
