import type { Clock } from '@calls/foundation';
import type { AnswerTimes } from '../response/answer-steps.ts';
import { plainText } from '../transcript/plain-text.ts';
import type { Dismissal, GenerationId, UtteranceId } from '../turn/turn-types.ts';
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

/** Of the words in one event. */
const MAX_WORDS_CHARS = 4096;
/** An utterance is dismissed soon after it was closed. */
const MAX_PAUSES = 8;

const DISMISSALS: Record<Dismissal, string> = {
  nothing: 'Speech over the agent had no words.',
  echo: 'Speech was dismissed: it is the voice of the agent, as its client sent it back.',
  backchannel: 'Speech was dismissed: it only showed that the user listens.',
  unrecognised: 'Speech was dismissed: speech-to-text failed.',
  too_short: 'Speech was dismissed: it was shorter than the voice activity settings ask for.',
};

/** What turns took and what became of answers, as metrics and call events. */
export class TurnNotes {
  readonly #options: TurnNotesOptions;
  readonly #marks = new TurnLatencyMarks();
  /** The answer that was begun before the user's turn was over. */
  #begun: { generation: GenerationId; atMs: number } | null = null;
  /** When the agent was paused; null while it isn't. */
  #pausedAtMs: number | null = null;
  /** How long the agent had been paused for the newest utterances when they were closed. */
  #pauses: readonly { utterance: UtteranceId; ms: number }[] = [];

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
      case 'close_utterance':
        this.#pauses = [...this.#pauses, { utterance: effect.utterance, ms: this.#pausedMs() }].slice(
          -MAX_PAUSES,
        );
        break;
      case 'dismiss_speech':
        this.#dismissed(effect);
        break;
      default:
        break;
    }
  }

  /** Words that become no message are always shown: a warning. Sounds without any are of interest to developers alone. */
  #dismissed({ utterance, reason, text }: OutwardEffect & { type: 'dismiss_speech' }): void {
    const pausedMs = this.#pauses.find((pause) => pause.utterance === utterance)?.ms ?? 0;
    const severity = text === '' && reason !== 'unrecognised' ? 'debug' : 'warning';
    const extras = { reason, text: plainText(text, MAX_WORDS_CHARS), pausedMs };
    this.#options.notes.add(severity, 'speech_dismissed', DISMISSALS[reason], extras);
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
