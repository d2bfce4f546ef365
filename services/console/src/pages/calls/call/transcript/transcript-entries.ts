import type { Schemas } from '../../../../api/client.ts';
import { durationMsOrNull } from '../../call-words.ts';

type Message = Schemas['Message'];
type CallEvent = Schemas['CallEvent'];

export type Speaker = 'user' | 'agent';

/** Times are of the call: milliseconds since the join. */
interface Timed {
  /** Unique within the call. */
  key: string;
  startMs: number;
}

export interface Utterance extends Timed {
  kind: 'utterance';
  speaker: Speaker;
  byVoice: boolean;
  /** For the agent: the part that was played. */
  text: string;
  endMs: number;
  isInterrupted: boolean;
  /** How long the user waited for it, from the end of speech; null where that isn't known. */
  answeredAfterMs: number | null;
}

export interface ToolUse extends Timed {
  kind: 'tool';
  name: string;
  /** JSON, as the model gave it. */
  arguments: string;
  /** Null while it runs, and where the call ended first. */
  answer: { text: string; error: string | null; endMs: number; callState: unknown } | null;
}

export interface StageBegin extends Timed {
  kind: 'stage';
  /** The first stage, with which every call begins, is 1. */
  number: number;
}

/** A warning or an error. */
export interface Note extends Timed {
  kind: 'note';
  severity: 'warning' | 'error';
  type: string;
  text: string;
}

export type TranscriptEntry = Utterance | ToolUse | StageBegin | Note;

/** An interruption belongs to the response that was playing at most this long before it. */
const INTERRUPTED_WITHIN_MS = 2000;
/** The first sound of an answer and its message tell nearly the same time. */
const SAME_MOMENT_MS = 400;

/** What was said, done and went wrong in a call, in the order of its beginning. */
export function transcriptEntries(
  messages: readonly Message[],
  events: readonly CallEvent[],
): readonly TranscriptEntry[] {
  const entries = [...ofMessages(messages), ...events.flatMap(noteOf)];
  for (const event of events) {
    if (event.type === 'interrupted') markInterrupted(entries, event);
    if (event.type === 'turn_latency') markAnswered(entries, event);
  }
  // Stable: what began at once stays in the order of the messages.
  return entries.sort((a, b) => a.startMs - b.startMs);
}

function ofMessages(messages: readonly Message[]): TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  const tools = new Map<string, ToolUse>();
  let stageId: string | undefined;
  let stageNumber = 1;
  for (const message of messages) {
    const startMs = durationMsOrNull(message.timespan?.start) ?? entries.at(-1)?.startMs ?? 0;
    const endMs = durationMsOrNull(message.timespan?.end) ?? startMs;
    const key = `${message.callStageId ?? ''}:${message.callStageMessageIndex ?? entries.length}`;
    if (stageId !== undefined && message.callStageId !== stageId) {
      stageNumber += 1;
      entries.push({ kind: 'stage', key: `stage:${key}`, startMs, number: stageNumber });
    }
    stageId = message.callStageId;
    switch (message.role) {
      case 'MESSAGE_ROLE_TOOL_CALL': {
        const { toolName: name = '', text = '' } = message;
        const use: ToolUse = { kind: 'tool', key, startMs, name, arguments: text, answer: null };
        tools.set(invocationOf(message), use);
        entries.push(use);
        break;
      }
      case 'MESSAGE_ROLE_TOOL_RESULT': {
        const { text = '', errorDetails: error = null, callState = null } = message;
        const use = tools.get(invocationOf(message));
        if (use) use.answer = { text, error, endMs, callState };
        break;
      }
      case 'MESSAGE_ROLE_USER':
      case 'MESSAGE_ROLE_AGENT':
        entries.push({
          kind: 'utterance',
          key,
          startMs,
          endMs,
          speaker: message.role === 'MESSAGE_ROLE_USER' ? 'user' : 'agent',
          byVoice: message.medium !== 'MESSAGE_MEDIUM_TEXT',
          text: message.text ?? '',
          isInterrupted: false,
          answeredAfterMs: null,
        });
        break;
      default:
        break;
    }
  }
  return entries;
}

/** Messages stored without their text have no ids either. */
function invocationOf({ invocationId, toolName }: Message): string {
  return invocationId ?? toolName ?? '';
}

function noteOf(event: CallEvent, index: number): Note[] {
  const { severity, type, text } = event;
  if (severity !== 'warning' && severity !== 'error') return [];
  return [{ kind: 'note', key: `event:${index}`, startMs: eventMs(event), severity, type, text }];
}

export function eventMs({ callTimestamp }: CallEvent): number {
  return durationMsOrNull(callTimestamp) ?? 0;
}

function markInterrupted(entries: readonly TranscriptEntry[], event: CallEvent): void {
  const atMs = eventMs(event);
  const pausedMs = Number(event.extras?.pausedMs ?? 0);
  const cut = agentUtterances(entries).findLast(({ startMs }) => startMs <= atMs);
  if (cut && cut.endMs >= atMs - pausedMs - INTERRUPTED_WITHIN_MS) cut.isInterrupted = true;
}

function markAnswered(entries: readonly TranscriptEntry[], event: CallEvent): void {
  const atMs = eventMs(event);
  const answer = agentUtterances(entries).find(({ startMs }) => Math.abs(startMs - atMs) <= SAME_MOMENT_MS);
  const tookMs = event.extras?.firstAudioSentMs;
  if (answer && typeof tookMs === 'number') answer.answeredAfterMs = tookMs;
}

function agentUtterances(entries: readonly TranscriptEntry[]): Utterance[] {
  return entries.filter(
    (entry): entry is Utterance => entry.kind === 'utterance' && entry.speaker === 'agent' && entry.byVoice,
  );
}

/** What is being said, or was last, at a time of the call; null before the first. */
export function currentKey(entries: readonly TranscriptEntry[], atMs: number): string | null {
  const current = entries.findLast(
    (entry) => entry.kind === 'utterance' && entry.byVoice && entry.startMs <= atMs,
  );
  return current?.key ?? null;
}
