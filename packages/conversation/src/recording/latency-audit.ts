import { RECORDING_SAMPLE_RATE_HZ } from '../ports/recordings.ts';

/** Resolution of the audit. */
const STEP_MS = 4;
const STEP_SAMPLES = (STEP_MS * RECORDING_SAMPLE_RATE_HZ) / 1000;
/** Levels that are retained: a turn can be audited until this long after its end of speech. */
const RETAINED_STEPS = 16_384 / STEP_MS;
/** How far from a reported time its edge in the recording is searched. */
const SEARCHED_STEPS = 1000 / STEP_MS;
/** Minimum silence after the end of speech; shorter silence is part of the speech. */
const SILENT_AFTER_STEPS = 160 / STEP_MS;
/** An audit reads this much audio after the reported times. */
const SEARCHED_AFTER_MS = (SEARCHED_STEPS + SILENT_AFTER_STEPS) * STEP_MS;
/** Minimum silence before the first sound of a response. */
const SILENT_BEFORE_STEPS = 60 / STEP_MS;
/** Range around the reported end of speech in which the levels of speech and noise are measured. */
const PEAK_BEFORE_STEPS = 1500 / STEP_MS;
const PEAK_AFTER_STEPS = 300 / STEP_MS;

/** Speech ends where its level falls this far below its peak, or to less than ABOVE_NOISE_DB above the noise. */
const BELOW_PEAK_DB = 32;
const ABOVE_NOISE_DB = 8;
/** With a smaller difference between speech and noise, the end of speech cannot be found. */
const MIN_RANGE_DB = 25;
/** Share of the steps in the range that count as noise: the quietest ones. */
const NOISE_SHARE = 0.15;
/** Louder audio counts as sound. In decibels of the mean square: samples of about 50, or -56 dBFS. */
const AUDIBLE_DB = 34;

/** Times that a turn's latency was computed from, in milliseconds of the recording. */
export interface ReportedTurn {
  speechEndMs: number;
  /** First sound of the response. */
  firstSoundMs: number;
}

/** Reported minus recorded time, in milliseconds. Null if the recording does not show it, for example in loud noise. */
export interface TurnDeviation {
  speechEndMs: number | null;
  firstSoundMs: number | null;
}

/** Turns that wait until they are recorded. Beyond this, the oldest is dropped. */
const MAX_WAITING = 8;

/** Compares the reported times of turns with what a recording contains. */
export class LatencyAudit {
  readonly #onDeviation: (deviation: TurnDeviation) => void;
  readonly #user = new LevelTrack();
  readonly #agent = new LevelTrack();
  #waiting: ReportedTurn[] = [];

  /** `onDeviation` is called for each turn, in order, as soon as it is recorded. */
  constructor(onDeviation: (deviation: TurnDeviation) => void) {
    this.#onDeviation = onDeviation;
  }

  report(turn: ReportedTurn): void {
    this.#waiting = [...this.#waiting, turn].slice(-MAX_WAITING);
  }

  /** Adds the next samples of both channels, equally many. Does not retain them. */
  push(user: Int16Array, agent: Int16Array): void {
    this.#user.push(user);
    this.#agent.push(agent);
    this.#auditUntil(this.#user.lengthMs - SEARCHED_AFTER_MS);
  }

  /** The recording is complete. */
  close(): void {
    this.#auditUntil(Number.POSITIVE_INFINITY);
  }

  #auditUntil(ms: number): void {
    for (let turn = this.#waiting[0]; turn && latestOf(turn) <= ms; turn = this.#waiting[0]) {
      this.#waiting.shift();
      this.#onDeviation(this.#deviationOf(turn));
    }
  }

  #deviationOf({ speechEndMs, firstSoundMs }: ReportedTurn): TurnDeviation {
    const endMs = speechEndNear(this.#user, speechEndMs);
    const soundMs = firstSoundNear(this.#agent, firstSoundMs);
    return {
      speechEndMs: endMs === null ? null : speechEndMs - endMs,
      firstSoundMs: soundMs === null ? null : firstSoundMs - soundMs,
    };
  }
}

function latestOf({ speechEndMs, firstSoundMs }: ReportedTurn): number {
  return Math.max(speechEndMs, firstSoundMs);
}

/** Where speech ended, nearest to `reportedMs`. */
function speechEndNear(track: LevelTrack, reportedMs: number): number | null {
  const at = Math.round(reportedMs / STEP_MS);
  const levels = track.sorted(at - PEAK_BEFORE_STEPS, at + PEAK_AFTER_STEPS);
  const peak = levels.at(-1) ?? 0;
  const noise = levels[Math.floor(levels.length * NOISE_SHARE)] ?? 0;
  if (peak - noise < MIN_RANGE_DB) return null;
  const threshold = Math.max(AUDIBLE_DB, peak - BELOW_PEAK_DB, noise + ABOVE_NOISE_DB);
  const isEnd = (step: number): boolean =>
    track.at(step - 1) >= threshold && track.isBelow(threshold, step, step + SILENT_AFTER_STEPS);
  return nearest(at, isEnd);
}

/** Where the agent began to sound, nearest to `reportedMs`. */
function firstSoundNear(track: LevelTrack, reportedMs: number): number | null {
  const isStart = (step: number): boolean =>
    track.at(step) >= AUDIBLE_DB && track.isBelow(AUDIBLE_DB, step - SILENT_BEFORE_STEPS, step);
  return nearest(Math.round(reportedMs / STEP_MS), isStart);
}

/** Time in milliseconds of the edge that is nearest to `at`. */
function nearest(at: number, isEdge: (step: number) => boolean): number | null {
  for (let distance = 0; distance <= SEARCHED_STEPS; distance += 1) {
    if (isEdge(at - distance)) return (at - distance) * STEP_MS;
    if (isEdge(at + distance)) return (at + distance) * STEP_MS;
  }
  return null;
}

/** Levels of the last seconds of a channel in whole decibels, 0 for samples of at most 1. */
class LevelTrack {
  readonly #levels = new Uint8Array(RETAINED_STEPS);
  #steps = 0;
  #energy = 0;
  #samples = 0;

  get lengthMs(): number {
    return this.#steps * STEP_MS;
  }

  push(samples: Int16Array): void {
    for (let from = 0; from < samples.length;) {
      const to = Math.min(samples.length, from + STEP_SAMPLES - this.#samples);
      let energy = 0;
      for (let i = from; i < to; i += 1) energy += (samples[i] ?? 0) ** 2;
      this.#energy += energy;
      this.#samples += to - from;
      if (this.#samples === STEP_SAMPLES) this.#endStep();
      from = to;
    }
  }

  /** 0 outside of what is retained. */
  at(step: number): number {
    if (step < Math.max(0, this.#steps - RETAINED_STEPS) || step >= this.#steps) return 0;
    return this.#levels[step % RETAINED_STEPS] ?? 0;
  }

  isBelow(level: number, from: number, to: number): boolean {
    for (let step = from; step < to; step += 1) if (this.at(step) >= level) return false;
    return true;
  }

  sorted(from: number, to: number): Uint8Array {
    return Uint8Array.from({ length: to - from }, (_, i) => this.at(from + i)).toSorted();
  }

  #endStep(): void {
    const level = 10 * Math.log10(Math.max(1, this.#energy / STEP_SAMPLES));
    this.#levels[this.#steps % RETAINED_STEPS] = Math.round(level);
    this.#steps += 1;
    this.#energy = 0;
    this.#samples = 0;
  }
}
