import type { GenerationTimes } from '../response/generation-rounds.ts';

/** Latency of one turn: milliseconds after the end of speech arrived. */
export interface TurnLatency {
  /** When turnEndpointDelay had passed. */
  endpointMs: number;
  /** 0 if the words were known before the speech ended, or if STT failed for its last part. */
  transcriptMs: number;
  /** When the turn was committed: endpoint, transcript and end-of-turn detection are done. */
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

/** Collects the times of a turn's stages, on the monotonic clock. */
export class TurnLatencyMarks {
  #marks: Marks = { speechEndMs: 0, endpointMs: 0, transcriptMs: 0 };
  /** Times of the turn that awaits its response. Later speech does not change them. */
  #turn: (Marks & { decidedMs: number }) | null = null;

  transcribed(nowMs: number): void {
    this.#marks = { ...this.#marks, transcriptMs: nowMs };
  }

  /** The endpoint was reached; speech ended at `speechEndMs`. */
  endpointReached(nowMs: number, speechEndMs: number): void {
    this.#marks = { ...this.#marks, endpointMs: nowMs, speechEndMs };
  }

  /** The user's turn was committed. */
  decided(nowMs: number): void {
    this.#turn = { ...this.#marks, decidedMs: nowMs };
  }

  /** The first audio of the response was sent. Null if it responds to no spoken turn. */
  audioStarted(nowMs: number, times: GenerationTimes): TurnLatency | null {
    const turn = this.#turn;
    this.#turn = null;
    if (!turn) return null;
    const since = (ms: number): number => Math.round(ms - turn.speechEndMs);
    return {
      endpointMs: since(turn.endpointMs),
      transcriptMs: Math.max(0, since(turn.transcriptMs)),
      decidedMs: since(turn.decidedMs),
      firstTokenMs: times.firstTokenMs === null ? null : since(times.firstTokenMs),
      firstAudioMs: times.firstAudioMs === null ? null : since(times.firstAudioMs),
      firstAudioSentMs: since(nowMs),
    };
  }
}
