import type { SpeechEdge } from '../vad/speech-segmenter.ts';
import { apologize } from './apology.ts';
import {
  announce,
  commitUserTurn,
  discardSpeculation,
  dismissUtterance,
  sendsUserAudio,
  prepend,
  FILLER_DELAY_MS,
  responseCue,
  stopHolding,
  releaseFloor,
} from './transitions.ts';
import { isOver, assessTurnEnd } from './turn-end.ts';
import type { Assumption, TurnEffect, TurnEvent, TurnMemory, TurnStep, UserTurn } from './turn-types.ts';
import { classifyTranscript } from './transcript/classify-transcript.ts';
import { haveSameWords } from './transcript/tokens.ts';

export interface UserStep {
  user: UserTurn;
  effects: readonly TurnEffect[];
}

/** Applies a speech edge to an utterance, independent of who holds the floor. */
export function advanceUser(user: UserTurn, edge: SpeechEdge): UserStep {
  switch (edge) {
    case 'speech_started':
    case 'speech_resumed':
      return {
        user: {
          ...user,
          speaking: true,
          ended: false,
          recognition: { status: 'none' },
          end: { status: 'unknown' },
          speculative: null,
          words: user.words && { ...user.words, isWhole: false },
        },
        effects: [...discardSpeculation(user), ...stopHolding(user)],
      };
    case 'turn_reached':
      return { user: { ...user, isTurn: true }, effects: [] };
    case 'interruption_reached':
      return { user: { ...user, interrupts: true }, effects: [] };
    case 'speech_soft':
    case 'speech_loud':
      return { user: { ...user, isSoft: edge === 'speech_soft' }, effects: [] };
    case 'speech_paused':
      return requestTranscript({ ...user, speaking: false });
    case 'endpoint_reached': {
      const ended = { ...user, speaking: false, ended: true };
      // A speculative transcription that failed is retried once at the endpoint.
      return user.recognition.status === 'failed' ? requestTranscript(ended) : { user: ended, effects: [] };
    }
  }
}

/** Applies an interim transcript; ignored once the final one is known. */
export function applyInterim(user: UserTurn, event: TurnEvent & { type: 'words_heard' }): UserTurn | null {
  const { utterance, text, isWhole, evidence } = event;
  if (utterance !== user.utterance || text === '') return null;
  // While speech continues, interim transcripts after a known transcript are new.
  if (user.recognition.status === 'known' && !user.speaking) return null;
  return { ...user, words: { text, isWhole, evidence } };
}

/** Applies a transcription result unless more audio has followed. */
export function applyTranscript(
  { settings }: TurnMemory,
  user: UserTurn,
  event: TurnEvent & { type: 'transcribed' | 'transcription_failed' },
): UserTurn | null {
  const { recognition, over, ended } = user;
  const { utterance, revision } = event;
  if (utterance !== user.utterance) return null;
  if (recognition.status !== 'pending' || recognition.revision !== revision)
    return event.type === 'transcribed'
      ? applyInterim(user, { ...event, type: 'words_heard', isWhole: false })
      : null;
  // Retried at the endpoint.
  if (event.type === 'transcription_failed' && !ended)
    return { ...user, recognition: { status: 'failed', revision } };
  const whole = event.type === 'transcribed' ? event : null;
  const words =
    whole && whole.text !== '' ? { text: whole.text, isWhole: true, evidence: whole.evidence } : user.words;
  if (!words) {
    return whole
      ? { ...user, recognition: { status: 'known', revision, text: '', meaning: 'nothing' } }
      : { ...user, recognition: { status: 'failed', revision } };
  }
  const meaning = classifyTranscript({ ...words, languageHint: settings.languageHint, over });
  return { ...user, words, recognition: { status: 'known', revision, text: words.text, meaning } };
}

/**
 * Decides what follows for an utterance while the agent does not hold the floor. The only place where that is
 * decided.
 */
export function settleUser(memory: TurnMemory, user: UserTurn): TurnStep {
  if (user.speaking) {
    const announced = announce(memory, 'listening');
    return { state: { kind: 'userSpeaking', memory: announced.memory, user }, effects: announced.effects };
  }
  if (!user.isTurn) {
    return user.ended
      ? prepend(dismissUtterance(user, 'too_short'), releaseFloor(memory))
      : waiting(memory, user);
  }
  const { recognition } = user;
  switch (recognition.status) {
    case 'none': {
      const requested = requestTranscript(user);
      return prepend(requested.effects, settleUser(memory, requested.user));
    }
    case 'pending':
      return sendsUserAudio(memory, user) ? speculate(memory, user, '') : speculateOnInterim(memory, user);
    case 'failed':
      if (!user.ended) return waiting(memory, user);
      return prepend(dismissUtterance(user, 'not_transcribed'), apologize(memory, 'not_understood', null));
    case 'known':
      if (recognition.meaning === 'nothing' || recognition.meaning === 'echo') {
        if (user.ended) return prepend(dismissUtterance(user, recognition.meaning), releaseFloor(memory));
        return prepend(discardSpeculation(user), waiting(memory, { ...user, speculative: null }));
      }
      return settleTranscript(memory, user, recognition.text);
  }
}

function settleTranscript(memory: TurnMemory, user: UserTurn, text: string): TurnStep {
  const judged = assessTurnEnd(user, text);
  const next =
    judged.user.ended && isOver(judged.user)
      ? commitUserTurn(memory, judged.user, text)
      : speculate(memory, judged.user, text);
  return prepend(judged.effects, next);
}

/** An interim transcript of all that was said is usually the same as the final one, which may take longer. */
function speculateOnInterim(memory: TurnMemory, user: UserTurn): TurnStep {
  const { words, over } = user;
  if (!words?.isWhole) return waiting(memory, user);
  const meaning = classifyTranscript({ ...words, languageHint: memory.settings.languageHint, over });
  return meaning === 'echo' ? waiting(memory, user) : speculate(memory, user, words.text);
}

/** Starts a speculative generation, unless there is one that assumes the same words. Discards one that does not. */
function speculate(memory: TurnMemory, user: UserTurn, text: string): TurnStep {
  const { utterance, speculative } = user;
  const sendsAudio = sendsUserAudio(memory, user);
  if (speculative && (sendsAudio || haveSameWords(speculative.text, text))) return waiting(memory, user);
  const discarded = discardSpeculation(user);
  if (!memory.settings.speculation || memory.menu !== null)
    return prepend(discarded, waiting(memory, { ...user, speculative: null }));
  const generation = memory.nextGeneration;
  const assuming: Assumption = sendsAudio ? { kind: 'sound', utterance } : { kind: 'words', text };
  return prepend(
    [...discarded, { type: 'start_generation', generation, cue: responseCue(user.continues), assuming }],
    waiting({ ...memory, nextGeneration: generation + 1 }, { ...user, speculative: { generation, text } }),
  );
}

function waiting(memory: TurnMemory, user: UserTurn): TurnStep {
  if (!user.ended || !user.isTurn) return { state: { kind: 'endpointing', memory, user }, effects: [] };
  const announced = announce(memory, user.end.status === 'held' ? 'listening' : 'thinking');
  return { state: { kind: 'endpointing', memory: announced.memory, user }, effects: announced.effects };
}

export function requestTranscript(user: UserTurn): UserStep {
  if (!user.isTurn) return { user, effects: [] };
  const revision = user.revision + 1;
  return {
    user: { ...user, revision, recognition: { status: 'pending', revision }, end: { status: 'unknown' } },
    effects: [...stopHolding(user), { type: 'transcribe', utterance: user.utterance, revision }],
  };
}

/** Starts or cancels the timer for the filler phrase. */
export function fillerTimer(user: UserTurn, edge: SpeechEdge): TurnEffect[] {
  if (!user.isTurn) return [];
  if (edge === 'endpoint_reached')
    return [{ type: 'start_timer', timer: 'reply_overdue', delayMs: FILLER_DELAY_MS }];
  if (edge === 'speech_resumed' || edge === 'speech_started')
    return [{ type: 'cancel_timer', timer: 'reply_overdue' }];
  return [];
}
