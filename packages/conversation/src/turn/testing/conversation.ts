import type { InactivityMessageSpec } from '@calls/api-contract/call-spec';
import type { SpeechEdge } from '../../vad/speech-segmenter.ts';
import { initialTurnState, stepTurn } from '../step-turn.ts';
import type { SpeechEvidence } from '../transcript/echo.ts';
import type { TurnSettings } from '../turn-settings.ts';
import type { TurnTimer } from '../turn-timer.ts';
import type { Assumption, TurnEffect, TurnEvent, TurnState } from '../turn-types.ts';

/** Plays events and records their effects. The end-of-turn detector responds immediately, or never if it returns null. */
export class Conversation {
  state: TurnState;
  /** The running timers, with their delays. */
  waits: Partial<Record<TurnTimer, number>> = {};
  #effects: TurnEffect[] = [];
  readonly #detector: (text: string) => number | null;

  constructor(
    inactivityMessages: readonly InactivityMessageSpec[] = [],
    settings: Partial<TurnSettings> = {},
    detector: (text: string) => number | null = () => 0,
  ) {
    this.state = initialTurnState(inactivityMessages, settings);
    this.#detector = detector;
  }

  play(...events: (TurnEvent | readonly TurnEvent[])[]): this {
    this.#effects = [];
    const queue = events.flat();
    for (let event = queue.shift(); event; event = queue.shift()) {
      if (event.type === 'timer_fired') this.#stop(event.timer);
      const step = stepTurn(this.state, event);
      this.state = step.state;
      this.#effects.push(...step.effects);
      for (const effect of step.effects) {
        if (effect.type === 'assess_end') queue.unshift(...this.#assess(effect));
        if (effect.type === 'start_timer') this.waits = { ...this.waits, [effect.timer]: effect.delayMs };
        if (effect.type === 'cancel_timer') this.#stop(effect.timer);
      }
    }
    return this;
  }

  #assess({ utterance, revision, text }: TurnEffect & { type: 'assess_end' }): TurnEvent[] {
    const extraWaitMs = this.#detector(text);
    return extraWaitMs === null ? [] : [{ type: 'end_assessed', utterance, revision, extraWaitMs }];
  }

  #stop(timer: TurnTimer): void {
    this.waits = Object.fromEntries(Object.entries(this.waits).filter(([name]) => name !== timer));
  }

  /** Short forms of the effects of the last `play`, without those on timers, tools and the end-of-turn detector. */
  get effects(): string[] {
    return this.#effects.filter(({ type }) => !/_(?:timer|tools|end)$/u.test(type)).map(short);
  }

  /** The effects of the last `play` on tools. */
  get toolEffects(): string[] {
    return this.#effects.filter(({ type }) => type.endsWith('_tools')).map(short);
  }

  get timers(): string[] {
    return this.#effects.filter((effect) => effect.type === 'start_timer').map((effect) => effect.timer);
  }
}

function short(effect: TurnEffect): string {
  switch (effect.type) {
    case 'announce':
      return `announce ${effect.state}`;
    case 'start_generation':
      return `start ${effect.generation} ${effect.cue.kind}${assumption(effect.assuming)}`;
    case 'dismiss_speech':
      return `dismiss ${effect.utterance} ${effect.reason}${effect.text && ` "${effect.text}"`}`;
    case 'add_user_message':
      return `user ${effect.medium} "${effect.text}"${effect.continues ? ' continued' : ''}`;
    case 'transcribe':
      return `transcribe ${effect.utterance}.${effect.revision}`;
    case 'assess_end':
      return `assess ${effect.utterance}.${effect.revision}`;
    case 'open_utterance':
    case 'close_utterance':
    case 'end_utterance':
      return `${effect.type.replace('_utterance', '')} ${effect.utterance}`;
    case 'report_missing_response':
      return `missing ${effect.reason}`;
    case 'report_menu_silence':
      return `menu silent ${effect.silenceMs}`;
    case 'end_call':
      return `end ${effect.reason}`;
    case 'start_timer':
    case 'cancel_timer':
      return `${effect.type} ${effect.timer}`;
    default:
      return `${effect.type.replace('_generation', '').replace('_playout', '')} ${effect.generation}`;
  }
}

function assumption(assuming: Assumption | null): string {
  if (!assuming) return '';
  return assuming.kind === 'sound' ? ` assuming sound ${assuming.utterance}` : ` assuming "${assuming.text}"`;
}

export const greeting: TurnEvent = {
  type: 'opened',
  opening: {
    who: 'agent',
    delayMs: 0,
    uninterruptible: false,
    cue: { kind: 'greeting', text: null, prompt: null },
  },
};
export const userFirst: TurnEvent = { type: 'opened', opening: { who: 'user', fallback: null } };
export const started: TurnEvent[] = [
  { type: 'speech', edge: 'speech_started' },
  { type: 'speech', edge: 'turn_reached' },
];
export const interrupting: TurnEvent[] = [...started, { type: 'speech', edge: 'interruption_reached' }];
export const paused: TurnEvent = { type: 'speech', edge: 'speech_paused' };
export const resumed: TurnEvent = { type: 'speech', edge: 'speech_resumed' };
export const endpoint: TurnEvent = { type: 'speech', edge: 'endpoint_reached' };
export const transcribed = (utterance: number, revision: number, text: string, played = ''): TurnEvent => ({
  type: 'transcribed',
  utterance,
  revision,
  text,
  evidence: evidenceOf(played),
});
export const interimTranscript = (
  utterance: number,
  text: string,
  played = '',
  isWhole = false,
): TurnEvent => ({
  type: 'words_heard',
  utterance,
  text,
  isWhole,
  evidence: evidenceOf(played),
});
/** An interim transcript of all that was said until the pause. */
export const wholeInterimTranscript = (utterance: number, text: string): TurnEvent =>
  interimTranscript(utterance, text, '', true);
/** The evidence of half a second of speech, during which the agent played these words. */
export const evidenceOf = (played: string): SpeechEvidence => ({
  played,
  outlastsPlaybackMs: 0,
  durationMs: 500,
  soundMatch: null,
  echoMatch: null,
});
export const fired = (timer: TurnTimer): TurnEvent => ({ type: 'timer_fired', timer });
export const notTranscribed = (utterance: number, revision: number): TurnEvent => ({
  type: 'transcription_failed',
  utterance,
  revision,
});
/** The first audio is sent, and the echo guard and the continuation window have ended. */
export const audible = (generation: number): readonly TurnEvent[] => [
  begun(generation),
  fired('echo_guard'),
  fired('continuation'),
];
/** The first audio is sent. */
export const begun = (generation: number): TurnEvent => ({ type: 'audio_started', generation });
export const spoken = (generation: number, failed = false): TurnEvent => ({
  type: 'spoken',
  generation,
  failed,
  medium: 'voice',
});
/** The response was sent as text. */
export const written = (generation: number): TurnEvent => ({
  type: 'spoken',
  generation,
  failed: false,
  medium: 'text',
});

/** All VAD edges. The reducer must accept them in any order, including orders that a detector does not produce. */
export const VAD_EDGES: readonly SpeechEdge[] = [
  'speech_started',
  'turn_reached',
  'interruption_reached',
  'speech_soft',
  'speech_loud',
  'speech_paused',
  'speech_resumed',
  'endpoint_reached',
];
