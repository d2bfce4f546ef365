import type { CallSpec } from '@calls/api-contract/call-spec';
import { historyEntryOf } from '../transcript/history.ts';
import type { Opening } from '../turn/turn-types.ts';
import type { CallSnapshot } from './call-snapshot.ts';

/** The opening of a session: from the settings for a new call, from the history for a resumed one. */
export function openingOf(spec: CallSpec, resume: CallSnapshot | null): Opening {
  return resume && isBegun(spec, resume) ? openingAgain(resume) : firstOpening(spec);
}

/** Whether anything was said or a tool was called. */
function isBegun({ firstStage }: CallSpec, { stage, nextIndex }: CallSnapshot): boolean {
  return stage.stageId !== firstStage.stageId || nextIndex > firstStage.initialMessages.length;
}

/** Responds to the last history entry; if that is the agent's, says that it is back. */
function openingAgain({ messages }: CallSnapshot): Opening {
  const last = messages.flatMap((message) => historyEntryOf(message) ?? []).at(-1);
  const cue =
    last?.role === 'agent'
      ? ({ kind: 'phrase', phrase: 'back_again' } as const)
      : ({ kind: 'reply' } as const);
  return { who: 'agent', delayMs: 0, uninterruptible: false, cue };
}

/** Converts the firstSpeaker settings. */
function firstOpening({ firstSpeaker }: CallSpec): Opening {
  if (firstSpeaker.who === 'agent') {
    const { text, prompt, delayMs, uninterruptible } = firstSpeaker;
    return { who: 'agent', delayMs, uninterruptible, cue: { kind: 'greeting', text, prompt } };
  }
  const { fallback } = firstSpeaker;
  if (!fallback) return { who: 'user', fallback: null };
  const { text, prompt, delayMs } = fallback;
  return { who: 'user', fallback: { delayMs, cue: { kind: 'greeting', text, prompt } } };
}
