import type { MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import type { GenerationTimes } from '../response/generation-rounds.ts';
import type { Cue, GenerationId } from '../turn/turn-types.ts';

/** The start of a greeting, or of the response to a text message. Milliseconds after its trigger. */
export interface ResponseStart {
  /** `greeting`: its generation was started. `text_message`: the user's message was added to the conversation. */
  trigger: 'greeting' | 'text_message';
  medium: MessageMedium;
  generationStartedMs: number;
  firstTokenMs: number | null;
  firstAudioMs: number | null;
  /** When the first audio was sent, or the first text. */
  firstOutputMs: number;
}

/** A response whose first audio or text was sent. */
export interface StartedResponse {
  generation: GenerationId;
  medium: MessageMedium;
  times: GenerationTimes;
  /** See ResponseListener.onAudioStarted. */
  silenceMs: () => number;
}

interface Trigger {
  kind: ResponseStart['trigger'];
  atMs: number;
  /** Null until a generation responds to the message. */
  generation: GenerationId | null;
}

/** Stores the trigger of the next response. Times are those of the monotonic clock. */
export class ResponseMarks {
  #trigger: Trigger | null = null;

  textAdded(nowMs: number): void {
    this.#trigger = { kind: 'text_message', atMs: nowMs, generation: null };
  }

  generationStarted(nowMs: number, generation: GenerationId, cue: Cue): void {
    if (cue.kind === 'greeting') this.#trigger = { kind: 'greeting', atMs: nowMs, generation };
    else if (cue.kind === 'reply' && this.#trigger?.kind === 'text_message')
      this.#trigger = { ...this.#trigger, generation };
  }

  /** Null if the response is neither a greeting nor an answer to a text message. */
  started(nowMs: number, { generation, medium, times }: StartedResponse): ResponseStart | null {
    const trigger = this.#trigger;
    if (trigger?.generation !== generation) return null;
    this.#trigger = null;
    const since = (ms: number): number => Math.max(0, Math.round(ms - trigger.atMs));
    return {
      trigger: trigger.kind,
      medium,
      generationStartedMs: since(times.startedMs),
      firstTokenMs: times.firstTokenMs === null ? null : since(times.firstTokenMs),
      firstAudioMs: times.firstAudioMs === null ? null : since(times.firstAudioMs),
      firstOutputMs: since(nowMs),
    };
  }
}
