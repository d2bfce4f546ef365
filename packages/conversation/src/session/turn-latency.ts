import type { AnswerTimes } from '../response/answer-steps.ts';

/** How long the parts of one turn took, in whole milliseconds after the last window of speech had arrived. */
export interface TurnLatency {
  /** turnEndpointDelay has passed. */
  endpointMs: number;
  transcriptMs: number;
  /** It is certain that the turn is over: endpoint, words, and no more to come. */
  decidedMs: number;
  firstTokenMs: number | null;
  firstAudioMs: number | null;
  firstAudioSentMs: number;
}

/** Collects when the parts of a turn happened. All times are on the monotonic clock. */
export class TurnLatencyMarks {
  #endpointMs = 0;
  #speechEndMs = 0;
  #transcriptMs = 0;
  /** Null until a turn of the user's is over; only then is an answer one to it. */
  #decidedMs: number | null = null;

  transcribed(nowMs: number): void {
    this.#transcriptMs = nowMs;
  }

  /** The user is silent; speech ended at `speechEndMs`. */
  endpointReached(nowMs: number, speechEndMs: number): void {
    this.#endpointMs = nowMs;
    this.#speechEndMs = speechEndMs;
  }

  decided(nowMs: number): void {
    this.#decidedMs = nowMs;
  }

  /** The first sound of the answer went out. Null where no turn of the user's came before it. */
  audioStarted(nowMs: number, times: AnswerTimes): TurnLatency | null {
    const decidedMs = this.#decidedMs;
    this.#decidedMs = null;
    if (decidedMs === null) return null;
    const since = (ms: number): number => Math.round(ms - this.#speechEndMs);
    return {
      endpointMs: since(this.#endpointMs),
      transcriptMs: since(this.#transcriptMs),
      decidedMs: since(decidedMs),
      firstTokenMs: times.firstTokenMs === null ? null : since(times.firstTokenMs),
      firstAudioMs: times.firstAudioMs === null ? null : since(times.firstAudioMs),
      firstAudioSentMs: since(nowMs),
    };
  }
}
