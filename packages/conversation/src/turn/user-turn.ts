import type { SpeechEdge } from '../vad/speech-segmenter.ts';
import {
  apologise,
  announce,
  commitUserTurn,
  discardSpeculation,
  dropUser,
  prepend,
  REPLY_OVERDUE_MS,
  yieldFloor,
} from './transitions.ts';
import type { TurnEffect, TurnEvent, TurnMemory, TurnStep, UserTurn } from './turn-types.ts';

export interface UserStep {
  user: UserTurn;
  effects: readonly TurnEffect[];
}

/** What an edge of the detector does to an utterance, whoever holds the floor. */
export function advanceUser(user: UserTurn, edge: SpeechEdge): UserStep {
  switch (edge) {
    case 'speech_started':
    case 'speech_resumed':
      return {
        user: { ...user, speaking: true, ended: false, recognition: { status: 'none' }, speculative: null },
        effects: discardSpeculation(user),
      };
    case 'turn_reached':
      return { user: { ...user, isTurn: true }, effects: [] };
    case 'interruption_reached':
      return { user, effects: [] };
    case 'speech_paused':
      return requestTranscript({ ...user, speaking: false });
    case 'endpoint_reached': {
      const ended = { ...user, speaking: false, ended: true };
      // What failed while speculating gets its one more try now that it counts.
      return user.recognition.status === 'failed' ? requestTranscript(ended) : { user: ended, effects: [] };
    }
  }
}

/** Takes an answer of the recogniser, unless it is about audio that more has followed. */
export function hearTranscript(
  user: UserTurn,
  event: TurnEvent & { type: 'transcribed' | 'transcription_failed' },
): UserTurn | null {
  const { recognition } = user;
  if (event.utterance !== user.utterance) return null;
  if (recognition.status !== 'pending' || recognition.revision !== event.revision) return null;
  return {
    ...user,
    recognition:
      event.type === 'transcribed'
        ? { status: 'known', revision: event.revision, text: event.text }
        : { status: 'failed', revision: event.revision },
  };
}

/** Where an utterance stands when the agent does not hold the floor: the one place that decides what comes next. */
export function settleUser(memory: TurnMemory, user: UserTurn): TurnStep {
  if (user.speaking) {
    const told = announce(memory, 'listening');
    return { state: { kind: 'userSpeaking', memory: told.memory, user }, effects: told.effects };
  }
  if (!user.isTurn) {
    return user.ended ? prepend(dropUser(user), yieldFloor(memory)) : waiting(memory, user);
  }
  const { recognition } = user;
  switch (recognition.status) {
    case 'none': {
      const asked = requestTranscript(user);
      return prepend(asked.effects, waiting(memory, asked.user));
    }
    case 'pending':
      return waiting(memory, user);
    case 'failed':
      if (!user.ended) return waiting(memory, user);
      return prepend(dropUser(user), apologise(memory, 'not_understood', null));
    case 'known':
      if (recognition.text === '') {
        return user.ended ? prepend(dropUser(user), yieldFloor(memory)) : waiting(memory, user);
      }
      return user.ended
        ? commitUserTurn(memory, user, recognition.text)
        : speculate(memory, user, recognition.text);
  }
}

function speculate(memory: TurnMemory, user: UserTurn, text: string): TurnStep {
  if (user.speculative !== null) return waiting(memory, user);
  const generation = memory.nextGeneration;
  return prepend(
    [{ type: 'start_generation', generation, cue: { kind: 'reply' }, assuming: text }],
    waiting({ ...memory, nextGeneration: generation + 1 }, { ...user, speculative: generation }),
  );
}

function waiting(memory: TurnMemory, user: UserTurn): TurnStep {
  if (!user.ended || !user.isTurn) return { state: { kind: 'endpointing', memory, user }, effects: [] };
  const told = announce(memory, 'thinking');
  return { state: { kind: 'endpointing', memory: told.memory, user }, effects: told.effects };
}

export function requestTranscript(user: UserTurn): UserStep {
  if (!user.isTurn) return { user, effects: [] };
  const revision = user.revision + 1;
  return {
    user: { ...user, revision, recognition: { status: 'pending', revision } },
    effects: [{ type: 'transcribe', utterance: user.utterance, revision }],
  };
}

/** The timer that covers the silence between the end of a turn and its answer. */
export function overdueTimer(user: UserTurn, edge: SpeechEdge): TurnEffect[] {
  if (!user.isTurn) return [];
  if (edge === 'endpoint_reached')
    return [{ type: 'start_timer', timer: 'reply_overdue', delayMs: REPLY_OVERDUE_MS }];
  if (edge === 'speech_resumed' || edge === 'speech_started')
    return [{ type: 'cancel_timer', timer: 'reply_overdue' }];
  return [];
}
