import type { AnsweringMachineSpec } from '@calls/api-contract/call-spec';
import {
  DETECTION_LIMIT_MS,
  initialAnswerState,
  resumedAnswerState,
  stepAnswer,
  type Answer,
  type AnswerEvent,
  type AnswerState,
} from './answer-classifier.ts';

type Action = AnsweringMachineSpec['onMachine'];

export type DetectionState =
  /** The agent talks; the answer can still change. */
  | { kind: 'open'; classifier: AnswerState }
  /** The agent is muted until the time for `action`. */
  | { kind: 'waiting'; classifier: AnswerState; action: Exclude<Action, 'continue'>; sinceMs: number }
  | { kind: 'done'; classifier: AnswerState };

export type DetectionEffect =
  | { type: 'report'; answer: Answer; atMs: number }
  | { type: 'mute' }
  | { type: 'unmute' }
  | { type: 'leave_message' }
  | { type: 'hang_up' };

export interface DetectionStep {
  state: DetectionState;
  effects: readonly DetectionEffect[];
}

/** The greeting is over after this silence if there is no beep. Pauses between its sentences are shorter. */
const GREETING_END_MS = 2500;
/** Longest wait for the end of a machine's greeting. Machines that still talk then may never stop. */
const MAX_GREETING_MS = 60_000;
/**
 * How long to wait, before the call ends, for words that confirm an answer detected by timing alone: it can be a menu
 * or an assistant.
 */
const CONFIRMATION_MS = 4000;
const CONFIRMATION_PAUSE_MS = 1000;

export function initialDetection(): DetectionState {
  return { kind: 'open', classifier: initialAnswerState() };
}

/**
 * Initial state when another connection continues the call, `atMs` after the answer. The agent must be muted in state
 * `waiting`.
 */
export function resumedDetection(
  answer: Answer | null,
  atMs: number,
  settings: AnsweringMachineSpec,
): DetectionState {
  const classifier = resumedAnswerState(answer, atMs);
  const action = answer ? actionFor(answer, settings) : 'continue';
  return action === 'continue'
    ? { kind: 'open', classifier }
    : { kind: 'waiting', classifier, action, sinceMs: atMs };
}

/** Decides how the agent reacts to what answered the call. Pure. */
export function stepDetection(
  state: DetectionState,
  event: AnswerEvent,
  settings: AnsweringMachineSpec,
): DetectionStep {
  if (state.kind === 'done') return { state, effects: [] };
  const classifier = stepAnswer(state.classifier, event);
  const { answer } = classifier;
  const updated = { ...state, classifier };
  if (answer && answer !== state.classifier.answer) return answerKnown(updated, answer, event, settings);
  if (updated.kind === 'waiting') return proceed(updated, event, settings, []);
  return event.atMs > DETECTION_LIMIT_MS
    ? { state: { kind: 'done', classifier }, effects: [] }
    : { state: updated, effects: [] };
}

type OpenOrWaiting = Exclude<DetectionState, { kind: 'done' }>;

function answerKnown(
  state: OpenOrWaiting,
  answer: Answer,
  event: AnswerEvent,
  settings: AnsweringMachineSpec,
): DetectionStep {
  const { classifier } = state;
  const action = actionFor(answer, settings);
  const effects: DetectionEffect[] = [{ type: 'report', answer, atMs: event.atMs }];
  if (action === 'continue') {
    if (state.kind === 'waiting') effects.push({ type: 'unmute' });
    return { state: { kind: 'open', classifier }, effects };
  }
  if (state.kind === 'waiting') return proceed({ ...state, action }, event, settings, effects);
  effects.push({ type: 'mute' });
  return proceed({ kind: 'waiting', classifier, action, sinceMs: event.atMs }, event, settings, effects);
}

function actionFor({ answeredBy }: Answer, settings: AnsweringMachineSpec): Action {
  switch (answeredBy) {
    case 'machine':
      return settings.onMachine;
    case 'ivr':
      return settings.onIvr;
    case 'screening':
      return settings.onScreening;
    case 'human':
    case 'unknown':
      return 'continue';
  }
}

/** Carries out the action if its time has come. */
function proceed(
  state: DetectionState & { kind: 'waiting' },
  event: AnswerEvent,
  settings: AnsweringMachineSpec,
  effects: readonly DetectionEffect[],
): DetectionStep {
  const { classifier, action } = state;
  const isTime = action === 'hang_up' ? isConfirmed(state, event, settings) : isGreetingOver(state, event);
  if (!isTime) return { state, effects };
  return { state: { kind: 'done', classifier }, effects: [...effects, { type: action }] };
}

function isConfirmed(
  state: DetectionState & { kind: 'waiting' },
  { atMs }: AnswerEvent,
  { onMachine, onIvr, onScreening }: AnsweringMachineSpec,
): boolean {
  if (state.classifier.answer?.evidence !== 'long_greeting') return true;
  const isCertain = [onMachine, onIvr, onScreening].every((action) => action === 'hang_up');
  const isOver = silenceMs(state, atMs) >= CONFIRMATION_PAUSE_MS;
  return isCertain || isOver || atMs - state.sinceMs >= CONFIRMATION_MS;
}

function isGreetingOver(state: DetectionState & { kind: 'waiting' }, event: AnswerEvent): boolean {
  if (event.type === 'beep') return true;
  return silenceMs(state, event.atMs) >= GREETING_END_MS || event.atMs - state.sinceMs >= MAX_GREETING_MS;
}

function silenceMs({ classifier: { speech } }: DetectionState, atMs: number): number {
  return atMs - (speech?.endMs ?? 0);
}
