import { parseArgs } from 'node:util';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { systemClock } from '@calls/foundation/clock';
import type { TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';
import { silentLogger } from '@calls/foundation/logger';
import { createTurnModel } from '@calls/providers/end-of-turn/turn-model';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { ENDPOINT_DELAY_MS } from '../utterances.ts';
import { backgroundsOf, casesOf, SEED, turnsOf } from './corpus/corpus.ts';
import { audioOf, type CaseAudio } from './corpus/turn-case.ts';
import { DETECTORS, MODEL_DETECTOR, type Detector } from './detectors.ts';
import { outcomeOf } from './metrics/outcome.ts';
import { playTurn } from './play/play-turn.ts';
import type { TurnSet } from './recordings/recording.ts';
import { scoreCases, type ScoredCase } from './score-cases.ts';
import { reportOf, type CaseOutcomes, type SetReport } from './turn-report.ts';

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

/** Tested values of `turnEndpointDelay`, in ascending order. */
const DELAYS_MS = [
  ...Array.from({ length: 20 }, (_, i) => 32 * (i + 1)),
  ...Array.from({ length: 22 }, (_, i) => 704 + 64 * i),
];

/** Runs all detectors on the labelled turns of the sets. */
export async function runTurns(
  { sets, scale, modelPath }: TurnOptions,
  say: (line: string) => void,
): Promise<SetReport[]> {
  await using engine = await createSileroEngine({ log: silentLogger });
  await using model = modelPath === null ? null : await openModel(modelPath);
  const detectors = model ? [...DETECTORS, MODEL_DETECTOR] : DETECTORS;
  const reports: SetReport[] = [];
  for (const set of sets) {
    const turns = await turnsOf(set, scale);
    const cases = casesOf(turns);
    say(`${set}: ${turns.length} turns, ${cases.length} cases; scoring their audio`);
    const scored = await scoreCases(engine, model, cases, await backgroundsOf(set, turns), SEED);
    say(`${set}: playing them with ${detectors.length} detectors and ${DELAYS_MS.length} delays`);
    reports.push(
      reportOf(set, scored, playAll(scored, detectors), {
        delaysMs: DELAYS_MS,
        defaultDelayMs: ENDPOINT_DELAY_MS,
      }),
    );
  }
  return reports;
}

async function openModel(path: string): Promise<TurnCompletionModel> {
  const sha256 = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  return createTurnModel({ path, sha256 }, { log: silentLogger, clock: systemClock });
}

/** Outcomes of each detector, by delay and case. */
function playAll(scored: readonly ScoredCase[], detectors: readonly Detector[]): CaseOutcomes[] {
  return detectors.map(({ name, datesEnd, settings }) => ({
    detector: name,
    byDelay: DELAYS_MS.map((delayMs) =>
      scored.map((each) => {
        const turn = datesEnd ? each : { ...each, levels: null };
        return outcomeOf(each.parts, playTurn(turn, settings(delayMs)));
      }),
    ),
  }));
}

/** The audio of a case of either set. Throws if the case does not exist. */
export async function caseAudio(caseId: string, scale: number): Promise<CaseAudio> {
  const sets: readonly TurnSet[] = ['held-out', 'tuning'];
  for (const set of sets) {
    const turns = await turnsOf(set, scale);
    const found = casesOf(turns).find(({ id }) => id === caseId);
    if (found) return audioOf(found, await backgroundsOf(set, turns), SEED);
  }
  throw new Error(`there is no case "${caseId}"`);
}
