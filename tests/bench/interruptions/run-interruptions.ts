import { parseArgs } from 'node:util';
import { silentLogger } from '@calls/foundation/logger';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { markdownTable } from '../../support/markdown-table.ts';
import { distributionOf } from '../distribution.ts';
import type { TurnSet } from '../turns/recordings/recording.ts';
import { isInterruption, OVERLAP_KINDS, overlapCasesOf, type OverlapCase } from './overlap-cases.ts';
import { playOverlap, type OverlapOutcome } from './play-overlap.ts';

export interface InterruptionOptions {
  set: TurnSet;
  /** Fraction of the cases. */
  scale: number;
  sttMs: number;
  interimMs: number | null;
  jsonPath: string | null;
}

export interface PlayedOverlap {
  overlap: Pick<OverlapCase, 'id' | 'kind' | 'words' | 'echo'>;
  outcome: OverlapOutcome;
}

/** Shorter silences in speech are not perceived as pauses (F. Goldman-Eisler, Psycholinguistics, 1968). */
const NOTICED_PAUSE_MS = 250;
/** Time from an interruption within which the agent must be soft or silent. */
const REACTION_MS = 500;
/** Number of concurrent calls, so that the VAD gets larger batches. */
const AT_ONCE = 16;

/** Throws an Error that describes the invalid option. */
export function readInterruptionOptions(args: readonly string[]): InterruptionOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      set: { type: 'string', default: 'held-out' },
      scale: { type: 'string', default: '1' },
      stt: { type: 'string', default: '120' },
      interim: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const { set } = values;
  if (set !== 'tuning' && set !== 'held-out')
    throw new Error(`--set must be tuning or held-out, not "${set}"`);
  const number = (name: 'scale' | 'stt' | 'interim', atLeast: number, atMost: number): number => {
    const value = Number(values[name]);
    if (value >= atLeast && value <= atMost) return value;
    throw new Error(`--${name} must be from ${atLeast} to ${atMost}, not "${values[name]}"`);
  };
  return {
    set,
    scale: number('scale', 0.001, 1),
    sttMs: number('stt', 0, 10_000),
    interimMs: values.interim === undefined ? null : number('interim', 0, 10_000),
    jsonPath: values.json ?? null,
  };
}

/** Plays calls in which other sounds reach the microphone while the agent speaks. */
export async function runInterruptions(
  { set, scale, sttMs, interimMs }: InterruptionOptions,
  say: (line: string) => void,
): Promise<PlayedOverlap[]> {
  const cases = await overlapCasesOf(set, scale);
  say(`${set}: ${cases.length} cases`);
  await using engine = await createSileroEngine({ log: silentLogger });
  const played = new Array<PlayedOverlap>(cases.length);
  const waiting = [...cases.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [i, overlap] = next;
      const { id, kind, words, echo } = overlap;
      const outcome = await playOverlap(overlap, engine, { sttMs, interimMs });
      played[i] = { overlap: { id, kind, words, echo }, outcome };
      if (i > 0 && i % 100 === 0) say(`${i} of ${cases.length} cases`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return played;
}

/** Returns the Markdown table for the documentation. */
export function interruptionTable(played: readonly PlayedOverlap[]): string {
  const rows = OVERLAP_KINDS.flatMap((kind) => {
    const outcomes = played.filter(({ overlap }) => overlap.kind === kind).map(({ outcome }) => outcome);
    return outcomes.length === 0 ? [] : [rowOf(kind, isInterruption(kind), outcomes)];
  });
  const head = [
    ...['over the agent', 'cases', 'cut', 'soft in 0.5 s', 'silent, p50', 'p95', 'max'],
    ...['unnoticed', 'pause, p95'],
  ];
  const wrong = played.filter(isWrong).map(describe).join('; ');
  return `${markdownTable(head, rows, 1)}\n\nWrong: ${wrong}`;
}

/** Whether an interruption was not recognized, or another sound cut or audibly paused the agent. */
function isWrong({ overlap, outcome }: PlayedOverlap): boolean {
  return isInterruption(overlap.kind) ? outcome.cutMs === null : !isUnnoticed(outcome);
}

function isUnnoticed({ cutMs, longestPauseMs }: OverlapOutcome): boolean {
  return cutMs === null && longestPauseMs < NOTICED_PAUSE_MS;
}

function describe({
  overlap: { id, words, echo },
  outcome: { cutMs, longestPauseMs },
}: PlayedOverlap): string {
  const what = echo ? `${echo.delayMs} ms, -${echo.lossDb} dB` : `"${words}"`;
  return `${id} ${what}: ${cutMs === null ? `paused ${longestPauseMs} ms` : `cut after ${cutMs} ms`}`;
}

function rowOf(kind: string, interrupts: boolean, outcomes: readonly OverlapOutcome[]): (string | number)[] {
  const share = (holds: (outcome: OverlapOutcome) => boolean): string =>
    `${((100 * outcomes.filter(holds).length) / outcomes.length).toFixed(1)} %`;
  const silent = distributionOf(outcomes.flatMap(({ silentMs }) => silentMs ?? []));
  const pauses = distributionOf(outcomes.map(({ longestPauseMs }) => longestPauseMs));
  const ms = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(0));
  return [
    kind,
    outcomes.length,
    share(({ cutMs }) => cutMs !== null),
    interrupts ? share(({ loweredMs }) => loweredMs !== null && loweredMs <= REACTION_MS) : '–',
    ...(interrupts ? [ms(silent.p50), ms(silent.p95), ms(silent.max)] : ['–', '–', '–']),
    interrupts ? '–' : share(isUnnoticed),
    interrupts ? '–' : ms(pauses.p95),
  ];
}
