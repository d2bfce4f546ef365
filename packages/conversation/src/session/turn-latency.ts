import type { AnswerTimes } from '../response/answer-steps.ts';

/** How long the parts of one turn took, in whole milliseconds after the last window of speech had arrived. */
export interface TurnLatency {
  endpointMs: number;
  transcriptMs: number;
  firstTokenMs: number | null;
  firstAudioMs: number | null;
  firstAudioSentMs: number;
}

/** Collects when the parts of a turn happened. All times are on the monotonic clock. */
export class TurnLatencyMarks {
  #endpointMs: number | null = null;
  #transcriptMs: number | null = null;
  #speechEndMs = 0;

  transcribed(nowMs: number): void {
    this.#transcriptMs = nowMs;
  }

  /** The user's turn is over; speech ended at `speechEndMs`. */
  endpointReached(nowMs: number, speechEndMs: number): void {
    this.#endpointMs = nowMs;
    this.#speechEndMs = speechEndMs;
  }

  /** The first sound of the answer went out. Null where no turn of the user's came before it. */
  audioStarted(nowMs: number, times: AnswerTimes): TurnLatency | null {
    const endpointMs = this.#endpointMs;
    const transcriptMs = this.#transcriptMs;
    this.#endpointMs = null;
    this.#transcriptMs = null;
    if (endpointMs === null || transcriptMs === null) return null;
    const since = (ms: number): number => Math.round(ms - this.#speechEndMs);
    return {
      endpointMs: since(endpointMs),
      transcriptMs: since(transcriptMs),
      firstTokenMs: times.firstTokenMs === null ? null : since(times.firstTokenMs),
      firstAudioMs: times.firstAudioMs === null ? null : since(times.firstAudioMs),
      firstAudioSentMs: since(nowMs),
    };
  }
}
