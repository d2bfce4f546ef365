import type { Schemas } from '../../../../api/client.ts';
import { eventMs, type TranscriptEntry, type Utterance } from '../transcript/transcript-entries.ts';

export const PARTS = ['endOfTurn', 'model', 'speech', 'sending'] as const;
export type Part = (typeof PARTS)[number];

/** One turn of the user's that was answered by voice. Times are in milliseconds since the user's speech had ended. */
export interface LatencyRow {
  key: string;
  /** When the answer began, in the call. */
  atMs: number;
  /** What the user had said; null where that isn't known. */
  words: string | null;
  /** When the delay after the last speech had passed. */
  endpointMs: number;
  /** When the transcript was ready. */
  transcriptMs: number;
  decidedMs: number;
  firstTokenMs: number | null;
  firstAudioMs: number | null;
  /** From voice to voice. */
  totalMs: number;
  /** What the total is made of, one after the other; what was done ahead of the turn's end took no time. */
  parts: Readonly<Record<Part, number>>;
}

export function latencyRows(
  events: readonly Schemas['CallEvent'][],
  entries: readonly TranscriptEntry[],
): readonly LatencyRow[] {
  return events.flatMap((event, index) => {
    const { type, extras } = event;
    const of = (name: string): number | null => {
      const value = extras?.[name];
      return typeof value === 'number' ? value : null;
    };
    const [endpointMs, transcriptMs, decidedMs] = [of('endpointMs'), of('transcriptMs'), of('decidedMs')];
    const totalMs = of('firstAudioSentMs');
    if (type !== 'turn_latency' || endpointMs === null || transcriptMs === null) return [];
    if (decidedMs === null || totalMs === null) return [];
    const [firstTokenMs, firstAudioMs] = [of('firstTokenMs'), of('firstAudioMs')];
    const atMs = eventMs(event);
    return [
      {
        key: String(index),
        atMs,
        words: wordsBefore(entries, atMs),
        endpointMs,
        transcriptMs,
        decidedMs,
        firstTokenMs,
        firstAudioMs,
        totalMs,
        parts: partsOf([decidedMs, firstTokenMs, firstAudioMs, totalMs]),
      },
    ];
  });
}

/** The steps in their order, each as long as it went on after the one before it. */
function partsOf(ends: readonly (number | null)[]): Record<Part, number> {
  const totalMs = ends.at(-1) ?? 0;
  const parts: Record<Part, number> = { endOfTurn: 0, model: 0, speech: 0, sending: 0 };
  let reachedMs = 0;
  for (const [index, part] of PARTS.entries()) {
    const endMs = Math.min(totalMs, Math.max(reachedMs, ends[index] ?? reachedMs));
    parts[part] = endMs - reachedMs;
    reachedMs = endMs;
  }
  return parts;
}

function wordsBefore(entries: readonly TranscriptEntry[], atMs: number): string | null {
  const said = entries.findLast(
    (entry): entry is Utterance =>
      entry.kind === 'utterance' && entry.speaker === 'user' && entry.byVoice && entry.startMs <= atMs,
  );
  return said?.text ?? null;
}

/** The value that this share of the values (0 to 1) doesn't exceed; null of none. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
