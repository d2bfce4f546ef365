import type { Severity } from '@calls/api-contract/rest/enums';
import type { Clock } from '@calls/foundation/clock';
import { plainText } from '../transcript/plain-text.ts';
import type { Dismissal, GenerationId, MissingResponse, UtteranceId } from '../turn/turn-types.ts';
import type { ReportedTurn } from '../recording/latency-audit.ts';
import type { CallEvents } from './call-events.ts';
import { ResponseMarks, type StartedResponse } from './response-start.ts';
import type { SessionMetrics } from './services.ts';
import { TurnLatencyMarks, type TurnLatency } from './turn-latency.ts';
import type { ExternalEffect } from './turn-loop.ts';

export interface TurnReporterOptions {
  clock: Clock;
  metrics: SessionMetrics;
  callEvents: CallEvents;
  callTimeMs: () => number;
  /** The times of a turn, on the monotonic clock, once its response is played. */
  onTurn: (turn: ReportedTurn) => void;
}

/** A response to speech that was sent and is not yet played. */
interface SentResponse {
  generation: GenerationId;
  latency: TurnLatency;
  /** When the speech that it responds to ended, on the monotonic clock. */
  speechEndMs: number;
  silenceMs: () => number;
}

/** Length limit of the transcript in one event. */
const MAX_WORDS_CHARS = 4096;
/** Utterances whose pause duration is remembered: dismissals follow soon after the utterance closes. */
const MAX_PAUSES = 8;

const DISMISSALS: Record<Dismissal, string> = {
  nothing: 'Speech was dismissed: it had no words.',
  echo: "Speech was dismissed: it was an echo of the agent's voice.",
  backchannel: 'Speech was dismissed: it was a backchannel.',
  not_transcribed: 'Speech was dismissed: speech-to-text failed.',
  too_short: 'Speech was dismissed: it was shorter than the voice activity settings require.',
};

const MISSING_RESPONSES: Record<MissingResponse, [Severity, string, string]> = {
  nothing_to_say: ['info', 'response_missing', 'The model returned no words for this turn.'],
  tools_only: [
    'info',
    'response_missing',
    'The response only called tools, after which the agent does not speak.',
  ],
  recognition_late: [
    'error',
    'response_missing',
    'Speech-to-text took more than 5 s; a filler phrase is played.',
  ],
  response_late: ['error', 'response_missing', 'The agent was silent for 5 s after a turn of the user.'],
  tool_running: ['info', 'response_missing', 'A tool has run for 5 s; the response waits for its result.'],
};

/** Reports turn latency, interruptions, speculation and dismissed speech as metrics and call events. */
export class TurnReporter {
  readonly #options: TurnReporterOptions;
  readonly #marks = new TurnLatencyMarks();
  readonly #responses = new ResponseMarks();
  /** The speculative generation. */
  #begun: { generation: GenerationId; atMs: number } | null = null;
  #sent: SentResponse | null = null;
  /** The last generation of which audio or text was sent. */
  #started: GenerationId | null = null;
  /** When playout was paused; null if it is not. */
  #pausedAtMs: number | null = null;
  /** Duration of the pauses of the current interruption that are over. */
  #endedPausesMs = 0;
  /** Utterances with a transcript that is not yet in a message or dismissed. */
  readonly #unaccounted = new Set<UtteranceId>();
  /** How long playout was silent during the newest closed utterances. Ducked playout is not silent. */
  #pauses: readonly { utterance: UtteranceId; ms: number }[] = [];

  constructor(options: TurnReporterOptions) {
    this.#options = options;
  }

  transcribed(utterance: UtteranceId): void {
    this.#unaccounted.add(utterance);
    this.#marks.transcribed(this.#options.clock.nowMs());
  }

  /** `speechEndMs`: when the end of speech arrived, on the monotonic clock. */
  endpointReached(speechEndMs: number): void {
    this.#marks.endpointReached(this.#options.clock.nowMs(), speechEndMs);
  }

  /** The first audio or text of a response was sent. */
  responseStarted(response: StartedResponse): void {
    const { clock, metrics } = this.#options;
    const nowMs = clock.nowMs();
    this.#started = response.generation;
    // Nothing of an earlier response was played, so its latency is not reported.
    if (this.#sent?.generation !== response.generation) this.#sent = null;
    const start = this.#responses.started(nowMs, response);
    const latency = response.medium === 'voice' ? this.#marks.audioStarted(nowMs, response.times) : null;
    if (!latency) {
      if (start) metrics.responseStarted(start);
      return;
    }
    metrics.turnResponded(latency);
    const speechEndMs = nowMs - latency.firstAudioSentMs;
    const { generation, silenceMs } = response;
    this.#sent = { generation, latency, speechEndMs, silenceMs };
  }

  /** Audio of the agent is played, from `startMs` of the monotonic clock on. Call before its words are shown. */
  audioPlayed(startMs: number): void {
    if (!this.#sent) return;
    const { clock, metrics, callEvents, callTimeMs, onTurn } = this.#options;
    const { latency, speechEndMs, silenceMs } = this.#sent;
    this.#sent = null;
    const firstSoundMs = startMs + silenceMs();
    const sinceSpeechEndMs = Math.round(firstSoundMs - speechEndMs);
    metrics.turnAudible(sinceSpeechEndMs);
    onTurn({ speechEndMs, firstSoundMs });
    callEvents.add('debug', 'turn_latency', 'Response started.', {
      speechEndMs: Math.round(callTimeMs() - (clock.nowMs() - speechEndMs)),
      ...latency,
      firstSoundMs: sinceSpeechEndMs,
    });
  }

  /** Ends the reports of the session. Every transcript must be in a message or an event by now. */
  close(): void {
    const { metrics, callEvents } = this.#options;
    const utterances = this.#unaccounted.size;
    if (utterances > 0) {
      metrics.transcriptLost();
      callEvents.add(
        'error',
        'transcript_lost',
        'A transcript was lost: it is neither in a message nor in an event.',
        { utterances },
      );
    }
    callEvents.close();
  }

  /**
   * Call with every effect before it is applied. `isOver`: the session is ending, so effects count neither as
   * interruptions nor as discarded speculation.
   */
  observe(effect: ExternalEffect, isOver: boolean): void {
    if (effect.type === 'dismiss_speech') this.#dismissed(effect);
    if (effect.type === 'add_user_message')
      for (const utterance of effect.utterances) this.#unaccounted.delete(utterance);
    if (!isOver) this.#observeLive(effect);
  }

  #observeLive(effect: ExternalEffect): void {
    const { clock } = this.#options;
    switch (effect.type) {
      case 'add_user_message':
        if (effect.medium === 'voice') this.#marks.decided(clock.nowMs());
        else this.#responses.textAdded(clock.nowMs());
        break;
      case 'start_generation':
        this.#responses.generationStarted(clock.nowMs(), effect.generation, effect.cue);
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
      case 'duck_playout':
        this.#endedPausesMs = this.#pausedMs();
        this.#pausedAtMs = null;
        break;
      case 'resume_playout':
        this.#endPauses();
        this.#options.metrics.interruption('resumed');
        break;
      case 'interrupt_generation':
        this.#interrupted(effect.generation);
        break;
      case 'close_utterance':
        this.#pauses = [...this.#pauses, { utterance: effect.utterance, ms: this.#pausedMs() }].slice(
          -MAX_PAUSES,
        );
        break;
      case 'report_missing_response':
        this.#options.metrics.responseMissing(effect.reason);
        this.#options.callEvents.add(...MISSING_RESPONSES[effect.reason], { reason: effect.reason });
        break;
      default:
        break;
    }
  }

  /** Dismissed words are a warning; audio without words is a debug event. */
  #dismissed({ utterance, reason, text }: ExternalEffect & { type: 'dismiss_speech' }): void {
    const pausedMs = this.#pauses.find((pause) => pause.utterance === utterance)?.ms ?? 0;
    this.#unaccounted.delete(utterance);
    const severity = text === '' && reason !== 'not_transcribed' ? 'debug' : 'warning';
    const extras = { reason, text: plainText(text, MAX_WORDS_CHARS), pausedMs };
    this.#options.callEvents.add(severity, 'speech_dismissed', DISMISSALS[reason], extras);
  }

  #committed(generation: GenerationId): void {
    const aheadMs = this.#take(generation);
    // A generation that started in the same moment is not ahead.
    if (aheadMs) this.#options.metrics.speculation('used', aheadMs);
  }

  #discarded(generation: GenerationId): void {
    const { metrics, callEvents } = this.#options;
    const wastedMs = this.#take(generation) ?? 0;
    metrics.speculation('discarded', wastedMs);
    callEvents.add('debug', 'speculation_discarded', 'A speculative generation was discarded.', { wastedMs });
  }

  /** Reports an interruption, unless nothing of the response was sent: the user cannot notice that. */
  #interrupted(generation: GenerationId): void {
    const { metrics, callEvents } = this.#options;
    if (generation === this.#started) {
      metrics.interruption('interrupted');
      callEvents.add('info', 'interrupted', 'The agent was interrupted.', { pausedMs: this.#pausedMs() });
    }
    this.#endPauses();
  }

  #endPauses(): void {
    this.#pausedAtMs = null;
    this.#endedPausesMs = 0;
  }

  /** Removes the speculative generation; returns how long it ran. */
  #take(generation: GenerationId): number | null {
    const begun = this.#begun;
    if (begun?.generation !== generation) return null;
    this.#begun = null;
    return Math.round(this.#options.clock.nowMs() - begun.atMs);
  }

  #pausedMs(): number {
    const currentMs = this.#pausedAtMs === null ? 0 : this.#options.clock.nowMs() - this.#pausedAtMs;
    return Math.round(this.#endedPausesMs + currentMs);
  }
}
