import type { InactivityMessageSpec } from '@calls/api-contract';
import { initialTurnState, stepTurn } from '../step-turn.ts';
import type { TurnEffect, TurnEvent, TurnState, TurnTimer } from '../turn-types.ts';

/** Plays events and keeps what came of them; `since()` gives the effects of the last events only. */
export class Conversation {
  state: TurnState;
  /** The timers that run, with their delays. */
  waits: Partial<Record<TurnTimer, number>> = {};
  #effects: TurnEffect[] = [];

  constructor(inactivityMessages: readonly InactivityMessageSpec[] = []) {
    this.state = initialTurnState(inactivityMessages);
  }

  play(...events: TurnEvent[]): this {
    this.#effects = [];
    for (const event of events) {
      if (event.type === 'timer_fired') this.#stop(event.timer);
      const step = stepTurn(this.state, event);
      this.state = step.state;
      this.#effects.push(...step.effects);
      for (const effect of step.effects) {
        if (effect.type === 'start_timer') this.waits = { ...this.waits, [effect.timer]: effect.delayMs };
        if (effect.type === 'cancel_timer') this.#stop(effect.timer);
      }
    }
    return this;
  }

  #stop(timer: TurnTimer): void {
    this.waits = Object.fromEntries(Object.entries(this.waits).filter(([name]) => name !== timer));
  }

  /** Short forms of the effects of the last `play`, timers left out. */
  get effects(): string[] {
    return this.#effects.filter((effect) => !effect.type.endsWith('_timer')).map(short);
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
      return `start ${effect.generation} ${effect.cue.kind}${effect.assuming === null ? '' : ` assuming "${effect.assuming}"`}`;
    case 'add_user_message':
      return `user ${effect.medium} "${effect.text}"`;
    case 'transcribe':
      return `transcribe ${effect.utterance}.${effect.revision}`;
    case 'open_utterance':
    case 'close_utterance':
      return `${effect.type.replace('_utterance', '')} ${effect.utterance}`;
    case 'end_call':
      return `end ${effect.reason}`;
    case 'start_timer':
    case 'cancel_timer':
      return `${effect.type} ${effect.timer}`;
    default:
      return `${effect.type.replace('_generation', '').replace('_playout', '')} ${effect.generation}`;
  }
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
export const transcribed = (utterance: number, revision: number, text: string): TurnEvent => ({
  type: 'transcribed',
  utterance,
  revision,
  text,
});
export const notTranscribed = (utterance: number, revision: number): TurnEvent => ({
  type: 'transcription_failed',
  utterance,
  revision,
});
export const audible = (generation: number): TurnEvent => ({ type: 'audio_started', generation });
export const spoken = (generation: number, failed = false): TurnEvent => ({
  type: 'spoken',
  generation,
  failed,
});
