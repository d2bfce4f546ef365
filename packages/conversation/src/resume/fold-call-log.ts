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
 * Replays the call log entries of all sessions, in order. What was said and not yet published when a worker
 * failed is lost, and so are tokens used since the last message.
 */
export function foldCallLog(
  spec: CallSpec,
  events: readonly CallLogEntryBody[],
  joinedAtMs: number,
): FoldedCall {
  const { stage, state, ...rest } = snapshotAtJoin(spec, joinedAtMs);
  let stageId = stage.stageId;
  let messages = new RecentMessages();
  const shown = new RecentTranscript();
  let folded: Omit<FoldedCall, 'stageId' | 'messages' | 'shown'> = { ...rest, state };
  /** Number of initial messages of the stage. */
  let initialCount = spec.firstStage.initialMessages.length;
  /** Initial messages of a stage that has not begun yet; they precede its `stage_began`. */
  let beginning: CallMessage[] = [];
  for (const event of events) {
    switch (event.type) {
      case 'message_added': {
        const { index, usage = folded.usage } = event;
        const message = callMessageOf(event.message);
        folded = { ...folded, usage };
        if (event.stageId !== stageId) {
          if (index === 0) beginning = [];
          beginning.push(message);
          break;
        }
        if (index < folded.nextIndex && index >= initialCount) {
          // The user continued their turn.
          const before = messages.all.findLast((each) => each.callStageMessageIndex === index);
          messages.replace(message);
          if (before) shown.replace(before, message);
          break;
        }
        messages.push(message);
        folded = { ...folded, nextIndex: index + 1 };
        if (index < initialCount) break;
        if (message.role === 'agent') folded = { ...folded, cutOff: null };
        if (shown.add(message)) folded = { ...folded, nextOrdinal: folded.nextOrdinal + 1 };
        if (message.role === 'tool_result' && message.callState)
          folded = { ...folded, state: message.callState };
        break;
      }
      case 'stage_began':
        stageId = event.stageId;
        messages = new RecentMessages(beginning);
        initialCount = event.messageCount;
        folded = { ...folded, nextIndex: initialCount, state: event.callState ?? null };
        beginning = [];
        break;
      case 'noted':
        if (event.eventType === MENU_BEGAN_EVENT) folded = { ...folded, inMenu: true };
        if (event.eventType === MENU_ENDED_EVENT) folded = { ...folded, inMenu: false };
        if (event.eventType === ANSWERED_BY_EVENT)
          folded = { ...folded, answer: answerOf(event.extras) ?? folded.answer };
        if (event.eventType === RESPONSE_CUT_OFF_EVENT)
          folded = { ...folded, cutOff: cutOffOf(event.extras) };
        break;
      case 'output_medium_set':
        folded = { ...folded, outputMedium: event.medium };
        break;
      default:
        break;
    }
  }
  return { ...folded, stageId, messages: messages.all, shown: shown.newest };
}

/** The evidence is absent with zero data retention: then only words of more weight correct the answer. */
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
