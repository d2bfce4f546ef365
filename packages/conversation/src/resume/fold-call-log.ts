import {
  ANSWERED_BY_EVENT,
  MENU_BEGAN_EVENT,
  MENU_ENDED_EVENT,
  RESPONSE_CUT_OFF_EVENT,
  type CallLogEntryBody,
} from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec, CallState } from '@calls/api-contract/call-spec';
import { ANSWERED_BY } from '@calls/api-contract/rest/enums';
import { ANSWER_EVIDENCE, type Answer } from '../answering-machine/answer-classifier.ts';
import { snapshotAtJoin, type CallSnapshot, type CutOffResponse } from '../session/call-snapshot.ts';
import { callMessageOf, type CallMessage } from '../transcript/call-message.ts';
import { RecentMessages } from '../transcript/recent-messages.ts';
import { RecentTranscript } from '../transcript/recent-transcript.ts';

/** State of a call at the end of its log. */
export interface FoldedCall extends Omit<CallSnapshot, 'stage' | 'state'> {
  stageId: string;
  /** Null: the initial state of the stage. */
  state: CallState | null;
}

/**
 * Replays the call log entries of all sessions, in order. If a worker failed, this loses what was said but not yet
 * published, and the tokens used since the last message.
 */
export function foldCallLog(
  spec: CallSpec,
  events: readonly CallLogEntryBody[],
  joinedAtMs: number,
): FoldedCall {
  const fold = new Fold(spec, joinedAtMs);
  for (const event of events) fold.apply(event);
  return fold.call;
}

type EntryOf<T extends CallLogEntryBody['type']> = CallLogEntryBody & { type: T };

class Fold {
  #call: Omit<FoldedCall, 'messages' | 'shown'>;
  #messages = new RecentMessages();
  readonly #shown = new RecentTranscript();
  /** Number of initial messages of the stage. */
  #initialCount: number;
  /** Initial messages of a stage that has not begun yet; they precede its `stage_began`. */
  #beginning: CallMessage[] = [];

  constructor(spec: CallSpec, joinedAtMs: number) {
    const { stage, ...rest } = snapshotAtJoin(spec, joinedAtMs);
    this.#call = { ...rest, stageId: stage.stageId };
    this.#initialCount = spec.firstStage.initialMessages.length;
  }

  get call(): FoldedCall {
    return { ...this.#call, messages: this.#messages.all, shown: this.#shown.newest };
  }

  apply(event: CallLogEntryBody): void {
    if (event.type === 'message_added') this.#addMessage(event);
    else if (event.type === 'stage_began') this.#beginStage(event);
    else if (event.type === 'noted') this.#note(event);
    else if (event.type === 'output_medium_set') this.#call.outputMedium = event.medium;
  }

  #addMessage({ index, stageId, usage, message: added }: EntryOf<'message_added'>): void {
    const call = this.#call;
    const message = callMessageOf(added);
    call.usage = usage ?? call.usage;
    if (stageId !== call.stageId) {
      if (index === 0) this.#beginning = [];
      this.#beginning.push(message);
    } else if (index < this.#initialCount || index >= call.nextIndex) {
      this.#messages.push(message);
      call.nextIndex = index + 1;
      if (index < this.#initialCount) return;
      if (message.role === 'agent') call.cutOff = null;
      if (this.#shown.add(message)) call.nextOrdinal += 1;
      if (message.role === 'tool_result' && message.callState) call.state = message.callState;
    } else {
      // The user continued their turn.
      const before = this.#messages.all.findLast((each) => each.callStageMessageIndex === index);
      this.#messages.replace(message);
      if (before) this.#shown.replace(before, message);
    }
  }

  #beginStage({ stageId, messageCount, callState }: EntryOf<'stage_began'>): void {
    this.#messages = new RecentMessages(this.#beginning);
    this.#beginning = [];
    this.#initialCount = messageCount;
    this.#call = { ...this.#call, stageId, nextIndex: messageCount, state: callState ?? null };
  }

  #note({ eventType, extras }: EntryOf<'noted'>): void {
    const call = this.#call;
    if (eventType === MENU_BEGAN_EVENT) call.inMenu = true;
    if (eventType === MENU_ENDED_EVENT) call.inMenu = false;
    if (eventType === ANSWERED_BY_EVENT) call.answer = answerOf(extras) ?? call.answer;
    if (eventType === RESPONSE_CUT_OFF_EVENT) call.cutOff = cutOffOf(extras);
  }
}

/**
 * With zero data retention the evidence is missing; then only words of a more conclusive kind can correct the answer.
 */
function answerOf(extras: Record<string, unknown> | null): Answer | null {
  const answeredBy = ANSWERED_BY.find((each) => each === extras?.['answeredBy']);
  const evidence = ANSWER_EVIDENCE.find((each) => each === extras?.['evidence']) ?? 'words';
  return answeredBy ? { answeredBy, evidence } : null;
}

function cutOffOf(extras: Record<string, unknown> | null): CutOffResponse {
  const remainder = extras?.['remainder'];
  return {
    remainder: typeof remainder === 'string' ? remainder : null,
    interruptible: extras?.['interruptible'] !== false,
  };
}
