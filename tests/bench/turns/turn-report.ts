import { markdownTable } from '../../support/markdown-table.ts';
import { CHANNELS, type Channel } from './corpus/channels.ts';
import { PAUSE_KINDS } from './corpus/turn.ts';
import { distributionOf } from '../distribution.ts';
import { estimate, type Estimate } from './metrics/bootstrap.ts';
import {
  CUT_BUDGET,
  cutShareAt,
  LATENCY_BUDGET_MS,
  latencyAt,
  operatingPoint,
  type OperatingPoint,
} from './metrics/curve.ts';
import type { Outcome } from './metrics/outcome.ts';
import type { TurnSet } from './recordings/recording.ts';
import type { ScoredCase } from './score-cases.ts';

/** The decisions of a detector, by delay and case. */
export interface CaseOutcomes {
  detector: string;
  byDelay: readonly (readonly Outcome[])[];
}

export interface DelayGrid {
  delaysMs: readonly number[];
  defaultDelayMs: number;
}

/** Figures of a detector on some of the cases. */
export interface Figures {
  detector: string;
  /** Share of the pauses at a mean latency of LATENCY_BUDGET_MS. */
  cutShare: Estimate;
  /** Mean latency with CUT_BUDGET of the pauses cut off. */
  latencyMs: Estimate;
}

/** Figures of a detector at the default delay. */
export interface DefaultFigures {
  detector: string;
  cutShare: number;
  /** Share of the pauses in which the agent would have been audible. */
  audibleShare: number;
  cutShareByKind: Readonly<Record<string, number>>;
  latencyP50Ms: number;
  /** Share of the ends that are decided within 20 ms of the default delay. */
  onTimeShare: number;
  latencyMeanMs: number;
  missedEnds: number;
  cutsInSpeech: number;
}

export interface GroupReport {
  group: string;
  turns: number;
  cases: number;
  pauses: number;
  figures: readonly Figures[];
  defaults: readonly DefaultFigures[];
}

export interface WorstCase {
  id: string;
  cutPausesMs: readonly number[];
  latencyMs: number;
}

export interface SetReport {
  set: TurnSet;
  points: number;
  groups: readonly GroupReport[];
  /** The worst cases of the last detector at the default delay. */
  worst: { cut: readonly WorstCase[]; slow: readonly WorstCase[] };
}

const WORST = 10;
const ON_TIME_MS = 20;

const DEFAULT_COLUMNS = [
  'cases',
  'detector',
  'cut',
  'audible',
  ...PAUSE_KINDS,
  'ms, p50',
  'on time',
  'mean',
  'missed',
  'in speech',
];

/** Channels on which other people are audible. The VAD detects them as speech. */
function hasOtherVoices(channel: Channel): boolean {
  return channel.startsWith('babble') || channel.startsWith('speaker');
}

export function reportOf(
  set: TurnSet,
  scored: readonly ScoredCase[],
  outcomes: readonly CaseOutcomes[],
  grid: DelayGrid,
): SetReport {
  const languages = [...new Set(scored.map(({ language }) => language))].toSorted();
  const groups: [string, (each: ScoredCase) => boolean][] = [
    ['all without other voices', ({ case: { channel } }) => !hasOtherVoices(channel)],
    ['all with other voices', ({ case: { channel } }) => hasOtherVoices(channel)],
    ...languages.map((language): [string, (each: ScoredCase) => boolean] => [
      `language ${language}`,
      (each) => each.language === language && !hasOtherVoices(each.case.channel),
    ]),
    ...CHANNELS.map((channel): [string, (each: ScoredCase) => boolean] => [
      `channel ${channel}`,
      (each) => each.case.channel === channel,
    ]),
  ];
  const pauses = scored.reduce((sum, { parts }) => sum + parts.filter(({ pause }) => pause).length, 0);
  return {
    set,
    points: pauses + scored.length,
    groups: groups.map(([group, holds]) => groupReport(group, scored, outcomes, grid, holds)),
    worst: worstOf(scored, outcomes.at(-1)?.byDelay[grid.delaysMs.indexOf(grid.defaultDelayMs)] ?? []),
  };
}

function groupReport(
  group: string,
  scored: readonly ScoredCase[],
  outcomes: readonly CaseOutcomes[],
  { delaysMs, defaultDelayMs }: DelayGrid,
  holds: (each: ScoredCase) => boolean,
): GroupReport {
  const indices = scored.flatMap((each, i) => (holds(each) ? [i] : []));
  const turnIds = [...new Set(indices.map((i) => scored[i]?.case.turn.id ?? ''))];
  const turnOf = new Map(turnIds.map((id, turn) => [id, turn]));
  const turnIndices = indices.map((i) => turnOf.get(scored[i]?.case.turn.id ?? '') ?? 0);
  const select = (of: readonly Outcome[]): Outcome[] => indices.flatMap((i) => of[i] ?? []);
  const defaultDelay = delaysMs.indexOf(defaultDelayMs);
  return {
    group,
    turns: turnIds.length,
    cases: indices.length,
    pauses: select(outcomes[0]?.byDelay[0] ?? []).reduce((sum, outcome) => sum + outcome.pauses.length, 0),
    figures: outcomes.map(({ detector, byDelay }) => {
      const totals = byDelay.map((of) => new TurnTotals(select(of), turnIndices, turnIds.length));
      const curve = (weights: Uint16Array): OperatingPoint[] => totals.map((each) => each.point(weights));
      return {
        detector,
        cutShare: estimate(turnIds.length, (weights) => cutShareAt(curve(weights), LATENCY_BUDGET_MS)),
        latencyMs: estimate(turnIds.length, (weights) => latencyAt(curve(weights), CUT_BUDGET)),
      };
    }),
    defaults: outcomes.map(({ detector, byDelay }) =>
      defaultFigures(detector, select(byDelay[defaultDelay] ?? []), defaultDelayMs),
    ),
  };
}

/** Totals by turn, for the bootstrap. */
class TurnTotals {
  readonly #pauses: Float64Array;
  readonly #cut: Float64Array;
  readonly #ends: Float64Array;
  readonly #latencyMs: Float64Array;

  constructor(outcomes: readonly Outcome[], turnIndices: readonly number[], turns: number) {
    this.#pauses = new Float64Array(turns);
    this.#cut = new Float64Array(turns);
    this.#ends = new Float64Array(turns);
    this.#latencyMs = new Float64Array(turns);
    const add = (to: Float64Array, turn: number, value: number): void => {
      to[turn] = (to[turn] ?? 0) + value;
    };
    for (const [i, { pauses, latencyMs, cutsInSpeech }] of outcomes.entries()) {
      const turn = turnIndices[i] ?? 0;
      add(this.#pauses, turn, pauses.length);
      add(this.#cut, turn, pauses.filter(({ isCut }) => isCut).length + cutsInSpeech);
      add(this.#ends, turn, 1);
      add(this.#latencyMs, turn, latencyMs);
    }
  }

  point(weights: Uint16Array): OperatingPoint {
    const sum = (of: Float64Array): number => {
      let total = 0;
      for (let turn = 0; turn < weights.length; turn += 1) total += (of[turn] ?? 0) * (weights[turn] ?? 0);
      return total;
    };
    return operatingPoint({
      pauses: sum(this.#pauses),
      cut: sum(this.#cut),
      ends: sum(this.#ends),
      latencyMs: sum(this.#latencyMs),
    });
  }
}

function defaultFigures(detector: string, outcomes: readonly Outcome[], delayMs: number): DefaultFigures {
  const pauses = outcomes.flatMap((outcome) => outcome.pauses);
  const share = (of: typeof pauses): number => of.filter(({ isCut }) => isCut).length / of.length;
  const latencies = outcomes.map(({ latencyMs }) => latencyMs);
  return {
    detector,
    cutShare: share(pauses),
    audibleShare: pauses.filter(({ isAudible }) => isAudible).length / pauses.length,
    cutShareByKind: Object.fromEntries(
      PAUSE_KINDS.map((kind) => [kind, share(pauses.filter((pause) => pause.kind === kind))]),
    ),
    latencyP50Ms: distributionOf(latencies).p50,
    onTimeShare: latencies.filter((ms) => Math.abs(ms - delayMs) <= ON_TIME_MS).length / latencies.length,
    latencyMeanMs: latencies.reduce((sum, ms) => sum + ms, 0) / latencies.length,
    missedEnds: outcomes.filter(({ isMissed }) => isMissed).length / outcomes.length,
    cutsInSpeech: outcomes.reduce((sum, outcome) => sum + outcome.cutsInSpeech, 0) / outcomes.length,
  };
}

/** The cases with the longest pauses cut off, and the slowest ones without other voices. */
function worstOf(scored: readonly ScoredCase[], outcomes: readonly Outcome[]): SetReport['worst'] {
  const all = scored.map((each, i) => {
    const { pauses = [], latencyMs = 0 } = outcomes[i] ?? {};
    const cutPausesMs = pauses.filter(({ isCut }) => isCut).map(({ durationMs }) => durationMs);
    return { id: each.case.id, channel: each.case.channel, cutPausesMs, latencyMs };
  });
  const total = ({ cutPausesMs }: WorstCase): number => cutPausesMs.reduce((sum, ms) => sum + ms, 0);
  const plain = ({ id, cutPausesMs, latencyMs }: WorstCase): WorstCase => ({ id, cutPausesMs, latencyMs });
  return {
    cut: all
      .toSorted((a, b) => total(b) - total(a))
      .slice(0, WORST)
      .map(plain),
    slow: all
      .filter(({ channel }) => !hasOtherVoices(channel))
      .toSorted((a, b) => b.latencyMs - a.latencyMs)
      .slice(0, WORST)
      .map(plain),
  };
}

/** Figures by name, for comparisons of runs. */
export function turnFigures(reports: readonly SetReport[]): Record<string, number> {
  return Object.fromEntries(
    reports.flatMap(({ set, groups }) =>
      groups.flatMap(({ group, figures }) =>
        figures.flatMap(({ detector, cutShare, latencyMs }): [string, number][] => [
          [`${set}, ${group}, ${detector}: false cut-offs at ${LATENCY_BUDGET_MS} ms`, cutShare.value],
          [`${set}, ${group}, ${detector}: latency at ${CUT_BUDGET * 100} %, ms`, latencyMs.value],
        ]),
      ),
    ),
  );
}

/** Returns the Markdown tables for the documentation. */
export function turnTable(reports: readonly SetReport[]): string {
  return reports.map(setTable).join('\n\n');
}

function setTable({ set, points, groups, worst }: SetReport): string {
  const rows = groups.flatMap(({ group, pauses, figures }) =>
    figures.map(({ detector, cutShare, latencyMs }) => [
      group,
      detector,
      pauses,
      percents(cutShare),
      milliseconds(latencyMs),
    ]),
  );
  const defaults = groups
    .slice(0, 2)
    .flatMap(({ group, defaults: each }) => each.map((figures) => defaultRow(group, figures)));
  return [
    `${set} set: ${points} decision points`,
    '',
    markdownTable(['cases', 'detector', 'pauses', 'cut at 300 ms', 'ms at 5 % cut'], rows, 2),
    '',
    'With the default delay:',
    '',
    markdownTable(DEFAULT_COLUMNS, defaults, 2),
    '',
    `Cut off in the longest pauses: ${worst.cut.map(({ id, cutPausesMs }) => `${id} (${cutPausesMs.join(', ')} ms)`).join('; ')}`,
    `Slowest: ${worst.slow.map(({ id, latencyMs }) => `${id} (${latencyMs} ms)`).join('; ')}`,
  ].join('\n');
}

function defaultRow(group: string, figures: DefaultFigures): string[] {
  return [
    group,
    figures.detector,
    percent(figures.cutShare),
    percent(figures.audibleShare),
    ...PAUSE_KINDS.map((kind) => percent(figures.cutShareByKind[kind] ?? NaN)),
    figures.latencyP50Ms.toFixed(0),
    percent(figures.onTimeShare),
    figures.latencyMeanMs.toFixed(0),
    percent(figures.missedEnds),
    percent(figures.cutsInSpeech),
  ];
}

function percent(share: number): string {
  return Number.isNaN(share) ? '–' : `${(share * 100).toFixed(1)} %`;
}

function percents({ value, low, high }: Estimate): string {
  if (Number.isNaN(value)) return '–';
  return `${(value * 100).toFixed(1)} (${(low * 100).toFixed(1)}–${(high * 100).toFixed(1)}) %`;
}

function milliseconds({ value, low, high }: Estimate): string {
  return Number.isNaN(value) ? '–' : `${value.toFixed(0)} (${low.toFixed(0)}–${high.toFixed(0)})`;
}
