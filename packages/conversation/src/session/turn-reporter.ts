import type { Severity } from '@calls/api-contract/rest/enums';
import type { Clock } from '@calls/foundation/clock';
import type { GenerationTimes } from '../response/generation-rounds.ts';
import { plainText } from '../transcript/plain-text.ts';
import type { Dismissal, GenerationId, MissingResponse, UtteranceId } from '../turn/turn-types.ts';
import type { CallEvents } from './call-events.ts';
import type { SessionMetrics } from './services.ts';
import { TurnLatencyMarks } from './turn-latency.ts';
import type { OutwardEffect } from './turn-loop.ts';

export interface TurnReporterOptions {
  clock: Clock;
  metrics: SessionMetrics;
  notes: CallEvents;
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

const MISSING_RESPONSES: Record<MissingResponse, [Severity, string, string]> = {
  nothing_to_say: ['info', 'response_missing', 'The agent had nothing to say to this turn.'],
  recognition_late: ['error', 'response_missing', 'Speech-to-text took more than 5 s; a filler is said.'],
  response_late: ['error', 'response_missing', 'The agent was silent for 5 s after a turn of the user.'],
  tool_running: ['info', 'response_missing', 'A tool has run for 5 s; the response waits for its result.'],
};

/** What turns took and what became of answers, as metrics and call events. */
export class TurnReporter {
  readonly #options: TurnReporterOptions;
  readonly #marks = new TurnLatencyMarks();
  /** The answer that was begun before the user's turn was over. */
  #begun: { generation: GenerationId; atMs: number } | null = null;
  /** When the agent was paused; null while it isn't. */
  #pausedAtMs: number | null = null;
  /** Utterances with recognised words that are neither in a message nor dismissed yet. */
  readonly #unaccounted = new Set<UtteranceId>();
  /** How long the agent had been paused for the newest utterances when they were closed. */
  #pauses: readonly { utterance: UtteranceId; ms: number }[] = [];

  constructor(options: TurnReporterOptions) {
    this.#options = options;
  }

  transcribed(utterance: UtteranceId): void {
    this.#unaccounted.add(utterance);
    this.#marks.transcribed(this.#options.clock.nowMs());
  }

  /** `speechEndMs`: when the last window of speech had arrived, on the clock. */
  endpointReached(speechEndMs: number): void {
    this.#marks.endpointReached(this.#options.clock.nowMs(), speechEndMs);
  }

  audioStarted(times: GenerationTimes): void {
    const { clock, metrics, notes, callTimeMs } = this.#options;
    const latency = this.#marks.audioStarted(clock.nowMs(), times);
    if (!latency) return;
    metrics.turnResponded(latency);
    const speechEndMs = callTimeMs() - latency.firstAudioSentMs;
    notes.add('debug', 'turn_latency', 'Answer begun.', { speechEndMs, ...latency });
  }

  /** The session is over: what was recognised is in a message or an event by now. The last note. */
  close(): void {
    const { metrics, notes } = this.#options;
    const utterances = this.#unaccounted.size;
    if (utterances > 0) {
      metrics.transcriptLost();
      notes.add('error', 'words_lost', 'Recognised words became no message.', { utterances });
    }
    notes.close();
  }

  /** To see every effect before it is carried out. `isOver`: what comes at the end interrupts and discards no response. */
  observe(effect: OutwardEffect, isOver: boolean): void {
    if (effect.type === 'dismiss_speech') this.#dismissed(effect);
    if (effect.type === 'add_user_message')
      for (const utterance of effect.utterances) this.#unaccounted.delete(utterance);
    if (!isOver) this.#observeLive(effect);
  }

  #observeLive(effect: OutwardEffect): void {
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
      case 'report_missing_response':
        this.#options.metrics.responseMissing(effect.reason);
        this.#options.notes.add(...MISSING_RESPONSES[effect.reason], { reason: effect.reason });
        break;
      default:
        break;
    }
  }

  /** Words that become no message are always shown: a warning. Sounds without any are of interest to developers alone. */
  #dismissed({ utterance, reason, text }: OutwardEffect & { type: 'dismiss_speech' }): void {
    const pausedMs = this.#pauses.find((pause) => pause.utterance === utterance)?.ms ?? 0;
    this.#unaccounted.delete(utterance);
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
