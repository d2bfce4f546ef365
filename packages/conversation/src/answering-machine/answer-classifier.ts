import type { AnsweredBy } from '@calls/api-contract/rest/enums';
import { VAD_WINDOW_MS } from '@calls/engine-ports/voice-activity-detector';
import { GREETING_KINDS, greetingKind, type GreetingKind } from './greeting-kind.ts';

/** `silence`: nothing was said. */
export const ANSWER_EVIDENCE = [
  'short_greeting',
  'long_greeting',
  'words',
  'beep',
  'silence',
  'time_limit',
] as const;
export type AnswerEvidence = (typeof ANSWER_EVIDENCE)[number];

export interface Answer {
  answeredBy: AnsweredBy;
  evidence: AnswerEvidence;
}

/** All times are milliseconds of received audio since the call was answered. */
export interface AnswerState {
  answer: Answer | null;
  /** The newest speech whose pauses are at most MAX_PAUSE_MS. */
  speech: { startMs: number; endMs: number; activeMs: number } | null;
  /** Whether some speech was long enough to be a greeting. */
  greeted: boolean;
  /** The most conclusive kind of words so far (see `outweighs`). */
  words: GreetingKind | null;
  speaking: boolean;
}

export type AnswerEvent =
  /** A window of 32 ms that ends at `atMs`, with its probability of speech. */
  | { type: 'window'; probability: number; atMs: number }
  /** An interim or final transcript of an utterance. */
  | { type: 'words'; text: string; atMs: number }
  | { type: 'beep'; atMs: number };

/** A greeting of this length without a pause above MAX_PAUSE_MS comes from a machine. */
const LONG_GREETING_MS = 1850;
/** Machines pause for less than this between words. */
const MAX_PAUSE_MS = 350;
/** After a greeting, a person waits at least this long for a response; machines continue sooner. */
const RESPONSE_PAUSE_MS = 800;
/** Shorter speech counts as noise. */
const MIN_SPEECH_MS = 96;
/** Share of the windows in a long greeting that are speech. */
const MIN_ACTIVE_SHARE = 0.6;
const SPEECH_PROBABILITY = 0.5;
/** Speech continues above this. */
const CONTINUED_PROBABILITY = 0.35;
const SILENCE_MS = 5000;
/** Later words are ignored, because a person may talk about machines ("She is not available."). */
const WORDS_LIMIT_MS = 8000;
/**
 * The same limit for words of menus. It is longer, because a menu may begin with a welcome, and people rarely mention
 * keys and options this early.
 */
const MENU_WORDS_LIMIT_MS = 15_000;
/** Detection stops here: later audio and words belong to the conversation. */
export const DETECTION_LIMIT_MS = 30_000;

export function initialAnswerState(): AnswerState {
  return { answer: null, speech: null, greeted: false, words: null, speaking: false };
}

/**
 * Initial state when another connection continues the call. The audio between the connections is missing. `answer`: the
 * result so far.
 */
export function resumedAnswerState(answer: Answer | null, atMs: number): AnswerState {
  const words = answer?.evidence === 'words' ? KIND_OF[answer.answeredBy] : null;
  return { ...initialAnswerState(), answer, words, speech: { startMs: atMs, endMs: atMs, activeMs: 0 } };
}

/**
 * Decides what answered a call. Pure. Later evidence can correct an answer: words and beeps outweigh timing.
 */
export function stepAnswer(state: AnswerState, event: AnswerEvent): AnswerState {
  if (event.atMs > DETECTION_LIMIT_MS && event.type !== 'window') return state;
  switch (event.type) {
    case 'window':
      return assessTiming(addWindow(state, event), event.atMs);
    case 'words': {
      const kind = greetingKind(event.text);
      const limitMs = kind === 'ivr' || kind === 'screening' ? MENU_WORDS_LIMIT_MS : WORDS_LIMIT_MS;
      const isPerson = state.answer?.answeredBy === 'human' && event.atMs > limitMs;
      return kind && !isPerson ? assessWords(state, kind) : state;
    }
    case 'beep':
      return hasWords(state) ? state : answered(state, 'machine', 'beep');
  }
}

function addWindow(state: AnswerState, { probability, atMs }: AnswerEvent & { type: 'window' }): AnswerState {
  const speaking = probability >= (state.speaking ? CONTINUED_PROBABILITY : SPEECH_PROBABILITY);
  if (!speaking) return state.speaking ? { ...state, speaking } : state;
  const startMs = atMs - VAD_WINDOW_MS;
  const before = state.speech;
  const continued = before !== null && startMs - before.endMs <= MAX_PAUSE_MS;
  const speech = continued
    ? { ...before, endMs: atMs, activeMs: before.activeMs + VAD_WINDOW_MS }
    : { startMs, endMs: atMs, activeMs: VAD_WINDOW_MS };
  return { ...state, speaking, speech, greeted: state.greeted || speech.activeMs >= MIN_SPEECH_MS };
}

function assessTiming(state: AnswerState, atMs: number): AnswerState {
  const { answer, speech } = state;
  if (answer && answer.answeredBy !== 'unknown') return state;
  if (speech && isLong(speech)) return answered(state, 'machine', 'long_greeting');
  if (speech && state.greeted && atMs - speech.endMs >= RESPONSE_PAUSE_MS)
    return answered(state, 'human', 'short_greeting');
  if (answer) return state;
  if (atMs >= DETECTION_LIMIT_MS) return answered(state, 'unknown', 'time_limit');
  return !state.greeted && atMs >= SILENCE_MS ? answered(state, 'unknown', 'silence') : state;
}

function isLong({ startMs, endMs, activeMs }: NonNullable<AnswerState['speech']>): boolean {
  const lengthMs = endMs - startMs;
  return lengthMs >= LONG_GREETING_MS && activeMs >= lengthMs * MIN_ACTIVE_SHARE;
}

/** The kind of words assumed for an answer by words that an earlier connection detected. */
const KIND_OF: Readonly<Record<AnsweredBy, GreetingKind | null>> = {
  machine: 'machine',
  ivr: 'ivr',
  screening: 'screening',
  human: 'human',
  unknown: null,
};
const ANSWERED_BY: Readonly<Record<GreetingKind, AnsweredBy>> = {
  machine: 'machine',
  reached: 'machine',
  ivr: 'ivr',
  screening: 'screening',
  human: 'human',
  whoIsCalling: 'screening',
};
function assessWords(state: AnswerState, kind: GreetingKind): AnswerState {
  const { answer } = state;
  const answeredBy = ANSWERED_BY[kind];
  // People also ask this, but in fewer words.
  if (kind === 'whoIsCalling' && answer?.evidence !== 'long_greeting') return state;
  if (!hasWords(state)) {
    // Words of a person do not overrule a beep.
    const contradicts = answer?.evidence === 'beep' && answeredBy === 'human';
    return contradicts ? state : { ...answered(state, answeredBy, 'words'), words: kind };
  }
  if (!outweighs(kind, state.words)) return state;
  return answer?.answeredBy === answeredBy
    ? { ...state, words: kind }
    : { ...answered(state, answeredBy, 'words'), words: kind };
}

/** Whether words of `kind` overrule the earlier `words`. For example, a menu can end in a mailbox. */
function outweighs(kind: GreetingKind, words: GreetingKind | null): boolean {
  return words !== null && GREETING_KINDS.indexOf(kind) < GREETING_KINDS.indexOf(words);
}

function hasWords({ answer }: AnswerState): boolean {
  return answer?.evidence === 'words';
}

function answered(state: AnswerState, answeredBy: AnsweredBy, evidence: AnswerEvidence): AnswerState {
  return { ...state, answer: { answeredBy, evidence } };
}
