import type { Schemas } from '../../../../api/client.ts';
import { durationMsOrNull } from '../../call-labels.ts';
import { isNotable, noteText } from '../../event-notes.ts';

type Message = Schemas['Message'];
type CallEvent = Schemas['CallEvent'];

export type Speaker = 'user' | 'agent';

/** A passage of a corpus, as in the event of its retrieval. */
export interface RetrievedPassage {
  title: string;
  /** Null for uploaded documents. */
  url: string | null;
  score: number;
  /** The beginning of the passage. */
  excerpt: string;
}

/** Milliseconds since the join. */
interface Timed {
  /** Unique within the call. */
  key: string;
  startMs: number;
}

export interface Utterance extends Timed {
  kind: 'utterance';
  speaker: Speaker;
  byVoice: boolean;
  /** The spoken text. For the agent, it contains only the part that was played. */
  text: string;
  endMs: number;
  isInterrupted: boolean;
  /** Time from the end of the user's speech to this response; null if unknown. */
  answeredAfterMs: number | null;
}

export interface ToolUse extends Timed {
  kind: 'tool';
  name: string;
  invocationId: string;
  /** JSON from the model. */
  arguments: string;
  /** Null while it runs, or if the call ended first. */
  answer: { text: string; error: string | null; endMs: number; callState: unknown } | null;
  /** What a search of a corpus found, best first; null for other tools. */
  passages: readonly RetrievedPassage[] | null;
}

export interface StageBegin extends Timed {
  kind: 'stage';
  /** The first stage has number 1. */
  number: number;
}

/** A problem, speech that was dismissed or late, or a step of a warm transfer. */
export interface Note extends Timed {
  kind: 'note';
  severity: 'info' | 'warning' | 'error';
  type: string;
  text: string;
}

/** An instruction of a supervisor to the agent. The user does not hear it. */
export interface Whisper extends Timed {
  kind: 'whisper';
  text: string;
}

export type TranscriptEntry = Utterance | ToolUse | StageBegin | Note | Whisper;

/** An interruption belongs to the response that was playing at most this long before it. */
const INTERRUPTED_WITHIN_MS = 2000;
/** Tolerance between the first audio of a response and the start of its message. */
const SAME_MOMENT_MS = 400;

/** Returns all messages, actions and problems of a call by start time. */
export function transcriptEntries(
  messages: readonly Message[],
  events: readonly CallEvent[],
): readonly TranscriptEntry[] {
  const entries = [...ofMessages(messages), ...events.flatMap(noteOf)];
  const answered = answeredMessages(entries);
  // The sort is stable: entries with equal times stay in message order.
  entries.sort((a, b) => a.startMs - b.startMs);
  const spoken = entries.filter((entry) => isUtteranceOf(entry, 'agent')).filter(({ byVoice }) => byVoice);
  const tools = entries.filter((entry) => entry.kind === 'tool');
  for (const event of events) {
    if (event.type === 'interrupted') markInterrupted(spoken, event);
    if (event.type === 'turn_latency') markAnswered(spoken, answered, event);
    if (event.type === 'knowledge') addPassages(tools, event);
  }
  return entries;
}

/** The last message of the user before each message of the agent. */
function answeredMessages(entries: readonly TranscriptEntry[]): ReadonlyMap<Utterance, Utterance> {
  const answered = new Map<Utterance, Utterance>();
  let last: Utterance | undefined;
  for (const entry of entries) {
    if (isUtteranceOf(entry, 'user')) last = entry;
    else if (last && isUtteranceOf(entry, 'agent')) answered.set(entry, last);
  }
  return answered;
}

function isUtteranceOf(entry: TranscriptEntry, speaker: Speaker): entry is Utterance {
  return entry.kind === 'utterance' && entry.speaker === speaker;
}

/** How many of `entries`, which are sorted by start time, start at `atMs` or before. */
export function countStarted(entries: readonly Timed[], atMs: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((entries[middle]?.startMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
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
        const invocationId = invocationOf(message);
        const use: ToolUse = {
          kind: 'tool',
          key,
          startMs,
          name,
          invocationId,
          arguments: text,
          answer: null,
          passages: null,
        };
        tools.set(invocationId, use);
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
      case 'MESSAGE_ROLE_UNSPECIFIED':
        entries.push({ kind: 'whisper', key, startMs, text: message.text ?? '' });
        break;
      default:
        break;
    }
  }
  return entries;
}

/** Calls with zero data retention have neither invocation ids nor passages. */
function addPassages(tools: readonly ToolUse[], { extras }: CallEvent): void {
  const use = tools.find(({ invocationId }) => invocationId === extras?.['invocationId']);
  const passages = extras?.['passages'];
  if (use && Array.isArray(passages)) use.passages = passages.map(passageOf);
}

function passageOf(value: Readonly<Record<string, unknown>>): RetrievedPassage {
  const { title, publicUrl, documentId, score, excerpt } = value;
  const url = typeof publicUrl === 'string' ? publicUrl : null;
  return {
    title: typeof title === 'string' ? title : (url ?? `Document …${String(documentId).slice(-8)}`),
    url,
    score: Number(score),
    excerpt: String(excerpt),
  };
}

/** Messages without stored text have no ids. */
function invocationOf({ invocationId, toolName }: Message): string {
  return invocationId ?? toolName ?? '';
}

function noteOf(event: CallEvent, index: number): Note[] {
  const { severity, type } = event;
  const isStep = severity === 'info' && type.startsWith('warm_transfer_');
  if (severity === 'debug' || !(isStep || isNotable(event))) return [];
  const startMs = eventMs(event);
  return [{ kind: 'note', key: `event:${index}`, startMs, severity, type, text: noteText(event) }];
}

export function eventMs({ callTimestamp }: CallEvent): number {
  return durationMsOrNull(callTimestamp) ?? 0;
}

function markInterrupted(spoken: readonly Utterance[], event: CallEvent): void {
  const atMs = eventMs(event);
  const pausedMs = Number(event.extras?.pausedMs ?? 0);
  const cut = spoken[countStarted(spoken, atMs) - 1];
  if (cut && cut.endMs >= atMs - pausedMs - INTERRUPTED_WITHIN_MS) cut.isInterrupted = true;
}

/**
 * Marks the response that started closest to the event. A response of which nothing was played has no message, and its
 * event can have the time of the next response. Then the user's last message is newer than the speech in the event.
 */
function markAnswered(
  spoken: readonly Utterance[],
  answered: ReadonlyMap<Utterance, Utterance>,
  event: CallEvent,
): void {
  const atMs = eventMs(event);
  const { firstSoundMs, firstAudioSentMs, speechEndMs } = event.extras ?? {};
  const tookMs = firstSoundMs ?? firstAudioSentMs;
  if (typeof tookMs !== 'number') return;
  const started = countStarted(spoken, atMs);
  const distanceMs = ({ startMs }: Utterance): number => Math.abs(startMs - atMs);
  const [answer] = spoken
    .slice(Math.max(0, started - 1), started + 1)
    .filter((utterance) => distanceMs(utterance) <= SAME_MOMENT_MS)
    .sort((a, b) => distanceMs(a) - distanceMs(b));
  if (!answer) return;
  const saidMs = typeof speechEndMs === 'number' ? speechEndMs : atMs - tookMs;
  if ((answered.get(answer)?.startMs ?? 0) <= saidMs) answer.answeredAfterMs = tookMs;
}

/** The current or last entry at a call time; null before the first. */
export function currentKey(entries: readonly TranscriptEntry[], atMs: number): string | null {
  const current = entries.findLast(
    (entry) => entry.kind === 'utterance' && entry.byVoice && entry.startMs <= atMs,
  );
  return current?.key ?? null;
}
