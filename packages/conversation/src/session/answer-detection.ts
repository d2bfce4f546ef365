import type { AnsweringMachineSpec } from '@calls/api-contract/call-spec';
import { ANSWERED_BY_EVENT } from '@calls/api-contract/bus/call-log-entry';
import type { AnsweredBy } from '@calls/api-contract/rest/enums';
import type { AnswerEvent } from '../answering-machine/answer-classifier.ts';
import {
  initialDetection,
  stepDetection,
  type DetectionEffect,
  type DetectionState,
} from '../answering-machine/answer-actions.ts';
import { BeepDetector } from '../answering-machine/beep-detector.ts';
import type { CallContext } from './call-context.ts';

/** Detects what answered an outgoing call, beside the conversation, and does what the call's settings say. */
export class AnswerDetection {
  readonly #settings: AnsweringMachineSpec;
  readonly #context: CallContext;
  readonly #beeps: BeepDetector;
  #state: DetectionState = initialDetection();
  #receivedMs = 0;

  /** Null if the call does not ask for it. */
  static open(context: CallContext): AnswerDetection | null {
    const { answeringMachine: settings } = context.spec;
    return settings ? new AnswerDetection(settings, context) : null;
  }

  private constructor(settings: AnsweringMachineSpec, context: CallContext) {
    this.#settings = settings;
    this.#context = context;
    this.#beeps = new BeepDetector(() => this.#step({ type: 'beep', atMs: this.#receivedMs }));
  }

  /** All audio at 16 kHz since the call was answered; `atMs`: where it starts. */
  audio(samples: Int16Array, atMs: number): void {
    this.#receivedMs = atMs;
    if (this.#state.kind !== 'done') this.#beeps.push(samples);
  }

  /** The probability of speech of the window that ends at `atMs`. */
  window(probability: number, atMs: number): void {
    this.#step({ type: 'window', probability, atMs });
  }

  /** An interim or final transcript. */
  words(text: string): void {
    this.#step({ type: 'words', text, atMs: this.#receivedMs });
  }

  /** Stops because the call ends or a supervisor takes it over. */
  close(evidence: 'call_ended' | 'taken_over'): void {
    const { kind, classifier } = this.#state;
    if (kind === 'done') return;
    this.#state = { kind: 'done', classifier };
    if (!classifier.answer) this.#report('unknown', evidence, this.#receivedMs);
    if (kind === 'waiting' && evidence === 'taken_over') this.#apply({ type: 'unmute' });
  }

  #step(event: AnswerEvent): void {
    if (this.#state.kind === 'done') return;
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
