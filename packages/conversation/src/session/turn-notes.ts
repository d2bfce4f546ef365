import type { Clock } from '@calls/foundation';
import type { AnswerTimes } from '../response/answer-steps.ts';
import type { GenerationId } from '../turn/turn-types.ts';
import type { CallNotes } from './call-notes.ts';
import type { SessionMetrics } from './services.ts';
import { TurnLatencyMarks } from './turn-latency.ts';
import type { OutwardEffect } from './turn-loop.ts';

export interface TurnNotesOptions {
  clock: Clock;
  metrics: SessionMetrics;
  notes: CallNotes;
  callTimeMs: () => number;
}

/** What turns took and what became of answers, as metrics and call events. */
export class TurnNotes {
  readonly #options: TurnNotesOptions;
  readonly #marks = new TurnLatencyMarks();
  /** The answer that was begun before the user's turn was over. */
  #begun: { generation: GenerationId; atMs: number } | null = null;
  /** When the agent was paused; null while it isn't. */
  #pausedAtMs: number | null = null;

  constructor(options: TurnNotesOptions) {
    this.#options = options;
  }

  transcribed(): void {
    this.#marks.transcribed(this.#options.clock.nowMs());
  }

  /** `speechEndMs`: when the last window of speech had arrived, on the clock. */
  endpointReached(speechEndMs: number): void {
    this.#marks.endpointReached(this.#options.clock.nowMs(), speechEndMs);
  }

  audioStarted(times: AnswerTimes): void {
    const { clock, metrics, notes, callTimeMs } = this.#options;
    const latency = this.#marks.audioStarted(clock.nowMs(), times);
    if (!latency) return;
    metrics.turnAnswered(latency);
    const speechEndMs = callTimeMs() - latency.firstAudioSentMs;
    notes.add('debug', 'turn_latency', 'Answer begun.', { speechEndMs, ...latency });
  }

  /** To see every effect before it is carried out. */
  observe(effect: OutwardEffect): void {
    const { clock } = this.#options;
    switch (effect.type) {
      case 'add_user_message':
        if (effect.medium === 'voice') this.#marks.decided(clock.nowMs());
        break;
      case 'start_generation':
        if (effect.assuming) this.#begun = { generation: effect.generation, atMs: clock.nowMs() };
        break;
      case 'commit_generation':
        this.#committed(effect.generation);
        break;
      case 'discard_generation':
        this.#discarded(effect.generation);
        break;
      case 'pause_playout':
        this.#pausedAtMs = clock.nowMs();
        break;
      case 'resume_playout':
        this.#pausedAtMs = null;
        this.#options.metrics.interruption('resumed');
        break;
      case 'interrupt_generation':
        this.#interrupted();
        break;
      case 'dismiss_speech':
        this.#options.notes.add('debug', 'speech_dismissed', 'Speech over the agent was no turn.', {
          why: effect.why,
          pausedMs: this.#pausedMs(),
        });
        break;
      default:
        break;
    }
  }

  #committed(generation: GenerationId): void {
    const aheadMs = this.#take(generation);
    // One begun in the same moment is not ahead of anything.
    if (aheadMs) this.#options.metrics.speculation('used', aheadMs);
  }

  #discarded(generation: GenerationId): void {
    const { metrics, notes } = this.#options;
    const wastedMs = this.#take(generation) ?? 0;
    metrics.speculation('discarded', wastedMs);
    notes.add('debug', 'speculation_discarded', 'An answer begun too soon was dropped.', { wastedMs });
  }

  #interrupted(): void {
    const { metrics, notes } = this.#options;
    metrics.interruption('taken');
    notes.add('info', 'interrupted', 'The agent was interrupted.', { pausedMs: this.#pausedMs() });
    this.#pausedAtMs = null;
  }

  /** How long the answer had been under way. */
  #take(generation: GenerationId): number | null {
    const begun = this.#begun;
    if (begun?.generation !== generation) return null;
    this.#begun = null;
    return Math.round(this.#options.clock.nowMs() - begun.atMs);
  }

  #pausedMs(): number {
    return this.#pausedAtMs === null ? 0 : Math.round(this.#options.clock.nowMs() - this.#pausedAtMs);
  }
}
