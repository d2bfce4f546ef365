import type { CallSpec } from '@calls/api-contract/call-spec';
import { historyEntryOf } from '../transcript/history.ts';
import type { Cue, Opening } from '../turn/turn-types.ts';
import type { SuspendedCall } from './call-outcome.ts';
import type { CallSnapshot } from './call-snapshot.ts';

/** The user does not notice a shorter break if the agent was waiting for them. */
const NOTICED_BREAK_MS = 2000;

/** The opening of a session: from the settings for a new call, from the history for a resumed one. */
export function openingOf(spec: CallSpec, resume: SuspendedCall | null, wallMs: number): Opening {
  return resume && isBegun(spec, resume.snapshot) ? openingAgain(spec, resume, wallMs) : firstOpening(spec);
}

/** Whether anything was said or a tool was called. */
function isBegun({ firstStage }: CallSpec, { stage, nextIndex }: CallSnapshot): boolean {
  return stage.stageId !== firstStage.stageId || nextIndex > firstStage.initialMessages.length;
}

/**
 * Responds to the last history entry. If that is the agent's, completes it, or says that the agent is back; after a
 * short planned break it stays silent.
 */
function openingAgain(
  spec: CallSpec,
  { snapshot, isHandedOver, lostAtMs }: SuspendedCall,
  wallMs: number,
): Opening {
  const { messages, cutOff } = snapshot;
  const history = messages.flatMap((message) => historyEntryOf(message) ?? []);
  const opening = { who: 'agent', delayMs: 0, uninterruptible: false } as const;
  if (history.at(-1)?.role !== 'agent') return { ...opening, cue: { kind: 'reply' } };
  if (!cutOff && isHandedOver && wallMs - lostAtMs < NOTICED_BREAK_MS) return { who: 'user', fallback: null };
  if (!cutOff) return { ...opening, cue: { kind: 'phrase', phrase: 'back_again' } };
  const { remainder, interruptible } = cutOff;
  if (remainder === null && history.every(({ role }) => role === 'agent')) return firstOpening(spec);
  const cue: Cue =
    remainder === null ? { kind: 'reply', replaces: true } : { kind: 'words', text: remainder };
  return { ...opening, uninterruptible: !interruptible, cue };
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
