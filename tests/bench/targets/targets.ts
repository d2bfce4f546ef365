import { markdownTable } from '../../support/markdown-table.ts';
import type { BenchReport } from '../report.ts';
import { round } from '../distribution.ts';
import { ENDPOINT_DELAY_MS } from '../utterances.ts';

export interface TargetReports {
  /** Slow engines, with speculation on the interim transcripts of a streaming engine. */
  streaming: BenchReport;
  /** Slow engines, with speculation. */
  speculating: BenchReport;
  /** Slow engines, without speculation. */
  waiting: BenchReport;
  /** A few recorded calls. */
  few: BenchReport;
  /** Many recorded calls. */
  many: BenchReport;
}

export interface Target {
  figure: string;
  asked: string;
  measured: string;
  isMet: boolean;
}

const TOLERANCE_MS = 40;
/** From the last sound to the request for the transcript: the VAD reports speech for longer than it lasts. */
const PAUSE_DETECTION_MS = 114;

/** Targets for turn latency and call cost with the measured values. A missing value does not meet its target. */
export function targetsOf(reports: TargetReports): Target[] {
  return [...latencyTargets(reports), ...loadTargets(reports), ...costTargets(reports)];
}

function latencyTargets({ streaming, speculating, waiting }: TargetReports): Target[] {
  const within = (figure: string, report: BenchReport, expectedMs: number): Target => ({
    figure: `${figure}, median`,
    asked: `≤ ${expectedMs} + ${TOLERANCE_MS} ms`,
    measured: `${report.answerMs.p50} ms (p99 ${report.answerMs.p99} ms, ${report.answerMs.count} turns)`,
    isMet: report.answerMs.p50 <= expectedMs + TOLERANCE_MS,
  });
  const enginesMs = engineDelays(speculating);
  return [
    within('voice to voice, streaming STT', streaming, Math.max(ENDPOINT_DELAY_MS, enginesMs)),
    within('… STT after the pause', speculating, Math.max(ENDPOINT_DELAY_MS, PAUSE_DETECTION_MS + enginesMs)),
    within('… without speculation', waiting, ENDPOINT_DELAY_MS + engineDelays(waiting)),
  ];
}

function engineDelays({ options: { delays } }: BenchReport): number {
  return delays.sttMs + delays.llmMs + delays.ttsMs;
}

function loadTargets({ many }: TargetReports): Target[] {
  const { calls } = many.options;
  const { answered, unanswered, lostCalls } = many.turns;
  return [
    {
      figure: `${calls} calls, turns without an answer, calls lost`,
      asked: 'none',
      measured: `${unanswered} of ${answered + unanswered}, ${lostCalls.length}`,
      isMet: answered > 0 && unanswered === 0 && lostCalls.length === 0,
    },
    atMost(`${calls} calls, added latency p99`, many.addedMs.p99, 60, ' ms'),
    atMost(`${calls} calls, frame lateness at the caller p99`, many.frameLatenessMs.p99, 20, ' ms'),
  ];
}

function costTargets({ few, many }: TargetReports): Target[] {
  const { calls } = many.options;
  const fewer = few.workerCpuPercentPerCall;
  const dearerPercent = round((many.workerCpuPercentPerCall / fewer - 1) * 100);
  return [
    atMost(
      `${calls} calls, voice activity, per call`,
      round6(many.vadCpuPercentPerCall / 100),
      0.002,
      ' core',
    ),
    atMost(
      `${calls} calls, media-worker, per call`,
      round6(many.workerCpuPercentPerCall / 100),
      0.012,
      ' core',
    ),
    atMost(`${calls} calls, memory per call`, many.memory.mbPerCall, 2, ' MB'),
    {
      figure: `CPU time per call, with ${calls} calls instead of ${few.options.calls}`,
      asked: 'at most 15 % more',
      measured: `${dearerPercent} % (${fewer} % of a core at ${few.options.calls})`,
      isMet: dearerPercent <= 15,
    },
  ];
}

function atMost(figure: string, value: number, limit: number, unit: string): Target {
  return { figure, asked: `≤ ${limit}${unit}`, measured: `${value}${unit}`, isMet: value <= limit };
}

function round6(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** The table of docs/internals/performance.md. */
export function targetTable(targets: readonly Target[]): string {
  return markdownTable(
    ['figure', 'target', 'measured', 'met'],
    targets.map(({ figure, asked, measured, isMet }) => [figure, asked, measured, isMet ? 'yes' : 'NO']),
  );
}
