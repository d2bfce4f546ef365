import type { CallEventBody } from '@calls/api-contract/bus/call-events';
import type { CallSpec, CallState } from '@calls/api-contract/call-spec';
import type { Message } from '@calls/api-contract/rest/message';
import { snapshotAtJoin, type CallSnapshot } from '../session/call-snapshot.ts';
import { RecentMessages } from '../transcript/recent-messages.ts';
import { RecentTranscript } from '../transcript/recent-transcript.ts';

/** Where a call's log leaves it. */
export interface FoldedCall extends Omit<CallSnapshot, 'stage' | 'state'> {
  stageId: string;
  /** Null: that which the stage begins with. */
  state: CallState | null;
}

/**
 * Goes through what the sessions of a call have emitted, in order. What was said and had not been written down when its
 * worker was lost is lost with it; so are tokens used since the last message.
 */
export function foldCallLog(
  spec: CallSpec,
  events: readonly CallEventBody[],
  joinedAtMs: number,
): FoldedCall {
  const { stage, state, ...rest } = snapshotAtJoin(spec, joinedAtMs);
  let stageId = stage.stageId;
  let messages = new RecentMessages();
  const shown = new RecentTranscript();
  let folded: Omit<FoldedCall, 'stageId' | 'messages' | 'shown'> = { ...rest, state };
  /** How many messages the stage began with. */
  let given = spec.firstStage.initialMessages.length;
  /** Of a stage that begins: its messages come before it. */
  let beginning: Message[] = [];
  for (const event of events) {
    switch (event.type) {
      case 'message_added': {
        const { message, index, usage = folded.usage } = event;
        folded = { ...folded, usage };
        if (event.stageId !== stageId) {
          if (index === 0) beginning = [];
          beginning.push(message);
          break;
        }
        if (index < folded.nextIndex && index >= given) {
          // The user went on with what they had said.
          const before = messages.all.findLast((each) => each.callStageMessageIndex === index);
          messages.replace(message);
          if (before) shown.replace(before, message);
          break;
        }
        messages.push(message);
        folded = { ...folded, nextIndex: index + 1 };
        if (index < given) break;
        if (shown.add(message)) folded = { ...folded, nextOrdinal: folded.nextOrdinal + 1 };
        if (isAnswer(message) && message.callState) folded = { ...folded, state: message.callState };
        break;
      }
      case 'stage_began':
        stageId = event.stageId;
        messages = new RecentMessages(beginning);
        given = event.messageCount;
        folded = { ...folded, nextIndex: given, state: event.callState ?? null };
        beginning = [];
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

function isAnswer({ role }: Message): boolean {
  return role === 'MESSAGE_ROLE_TOOL_RESULT';
}
