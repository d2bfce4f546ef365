import type { AnsweringMachineSpec } from '@calls/api-contract/call-spec';
import { ANSWERED_BY_EVENT } from '@calls/api-contract/bus/call-log-entry';
import type { AnsweredBy } from '@calls/api-contract/rest/enums';
import type { Answer, AnswerEvent } from '../answering-machine/answer-classifier.ts';
import {
  initialDetection,
  resumedDetection,
  stepDetection,
  type DetectionEffect,
  type DetectionState,
} from '../answering-machine/answer-actions.ts';
import { BeepDetector } from '../answering-machine/beep-detector.ts';
import type { CallContext } from './call-context.ts';

/** `atMs`: start of the new connection, in milliseconds since the call was answered. */
export interface EarlierDetection {
  answer: Answer | null;
  atMs: number;
}

/** Detects what answered an outgoing call while the conversation runs, and acts as the call's settings say. */
export class AnswerDetection {
  readonly #settings: AnsweringMachineSpec;
  readonly #context: CallContext;
  readonly #beeps: BeepDetector;
  /** Start of this connection, in milliseconds since the call was answered. */
  readonly #startsAtMs: number;
  #state: DetectionState;
  /** End of the received audio, in milliseconds since the call was answered. */
  #receivedMs: number;
  /** Whether the agent still has to be muted, because an earlier connection muted it. */
  #resumesMuted: boolean;

  /** `earlier`: what earlier connections of the call detected. Null if the call does not request detection. */
  static open(context: CallContext, earlier: EarlierDetection | null): AnswerDetection | null {
    const { answeringMachine: settings } = context.spec;
    return settings ? new AnswerDetection(settings, context, earlier) : null;
  }

  private constructor(
    settings: AnsweringMachineSpec,
    context: CallContext,
    earlier: EarlierDetection | null,
  ) {
    this.#settings = settings;
    this.#context = context;
    this.#startsAtMs = earlier?.atMs ?? 0;
    this.#receivedMs = this.#startsAtMs;
    this.#state = earlier ? resumedDetection(earlier.answer, earlier.atMs, settings) : initialDetection();
    this.#resumesMuted = this.#state.kind === 'waiting';
    this.#beeps = new BeepDetector(() => this.#step({ type: 'beep', atMs: this.#receivedMs }));
  }

  /** What answered; null while unknown. */
  get answer(): Answer | null {
    return this.#state.classifier.answer;
  }

  /** Handles audio of this connection at 16 kHz; `atMs`: its start. */
  audio(samples: Int16Array, atMs: number): void {
    if (this.#resumesMuted) this.#apply({ type: 'mute' });
    this.#resumesMuted = false;
    this.#receivedMs = this.#startsAtMs + atMs;
    if (this.#state.kind !== 'done') this.#beeps.push(samples);
  }

  /** Handles the probability of speech of the window that ends at `atMs`. */
  window(probability: number, atMs: number): void {
    this.#step({ type: 'window', probability, atMs: this.#startsAtMs + atMs });
  }

  /** Handles an interim or final transcript. */
  transcript(text: string): void {
    this.#step({ type: 'words', text, atMs: this.#receivedMs });
  }

  /** Stops because the call ends, a supervisor takes it over, or the user is transferred. */
  close(evidence: 'call_ended' | 'taken_over'): void {
    const { kind, classifier } = this.#state;
    if (kind === 'done') return;
    this.#state = { kind: 'done', classifier };
    if (!classifier.answer) this.#report('unknown', evidence, this.#receivedMs);
    if (kind === 'waiting' && evidence === 'taken_over') this.#apply({ type: 'unmute' });
  }

  #step(event: AnswerEvent): void {
    if (this.#state.kind === 'done') return;
    if (event.type !== 'window' && this.#context.navigation.hasPressedKeys) return;
    const { state, effects } = stepDetection(this.#state, event, this.#settings);
    this.#state = state;
    for (const effect of effects) this.#apply(effect);
  }

  #apply(effect: DetectionEffect): void {
    const { dispatch } = this.#context;
    switch (effect.type) {
      case 'report':
        return this.#report(effect.answer.answeredBy, effect.answer.evidence, effect.atMs);
      case 'mute':
        return dispatch({ type: 'agent_muted', reason: 'answer_detection' });
      case 'unmute':
        return dispatch({ type: 'agent_unmuted', reason: 'answer_detection' });
      case 'leave_message':
        return dispatch({ type: 'ending', words: this.#settings.message, reason: 'agent_hangup' });
      case 'hang_up':
        return dispatch({ type: 'ending', words: '', reason: 'agent_hangup' });
    }
  }

  #report(answeredBy: AnsweredBy, evidence: string, atMs: number): void {
    const details = { answeredBy, evidence, afterMs: Math.round(atMs) };
    this.#context.callEvents.add('info', ANSWERED_BY_EVENT, 'What answered the call was detected.', details);
    if (this.#settings.onIvr === 'continue') this.#context.navigation.answered(answeredBy);
  }
}
