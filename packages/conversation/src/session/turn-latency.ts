import type { GenerationTimes } from '../response/generation-rounds.ts';

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

interface Marks {
  speechEndMs: number;
  endpointMs: number;
  transcriptMs: number;
}

/** Collects when the parts of a turn happened. All times are on the monotonic clock. */
export class TurnLatencyMarks {
  #marks: Marks = { speechEndMs: 0, endpointMs: 0, transcriptMs: 0 };
  /** Those of the turn that is to be answered; what is heard until then changes nothing of it. */
  #turn: (Marks & { decidedMs: number }) | null = null;

  transcribed(nowMs: number): void {
    this.#marks = { ...this.#marks, transcriptMs: nowMs };
  }

  /** The user is silent; speech ended at `speechEndMs`. */
  endpointReached(nowMs: number, speechEndMs: number): void {
    this.#marks = { ...this.#marks, endpointMs: nowMs, speechEndMs };
  }

  /** The user's turn is over. */
  decided(nowMs: number): void {
    this.#turn = { ...this.#marks, decidedMs: nowMs };
  }

  /** The first sound of the answer went out. Null where no turn of the user's came before it. */
  audioStarted(nowMs: number, times: GenerationTimes): TurnLatency | null {
    const turn = this.#turn;
    this.#turn = null;
    if (!turn) return null;
    const since = (ms: number): number => Math.round(ms - turn.speechEndMs);
    return {
      endpointMs: since(turn.endpointMs),
      transcriptMs: since(turn.transcriptMs),
      decidedMs: since(turn.decidedMs),
      firstTokenMs: times.firstTokenMs === null ? null : since(times.firstTokenMs),
      firstAudioMs: times.firstAudioMs === null ? null : since(times.firstAudioMs),
      firstAudioSentMs: since(nowMs),
    };
  }
}
