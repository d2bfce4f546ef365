import type { Schemas } from '../../../../api/client.ts';
import {
  countStarted,
  eventMs,
  type TranscriptEntry,
  type Utterance,
} from '../transcript/transcript-entries.ts';

export const PARTS = ['endOfTurn', 'model', 'speech', 'sending'] as const;
export type Part = (typeof PARTS)[number];

/** A spoken turn with a spoken response. Times are milliseconds after the end of the user's speech. */
export interface LatencyRow {
  key: string;
  /** Call time at which the response started. */
  atMs: number;
  /** The user's words; null if unknown. */
  words: string | null;
  /** When the endpoint delay had passed. */
  endpointMs: number;
  /** When the transcript was ready. */
  transcriptMs: number;
  decidedMs: number;
  firstTokenMs: number | null;
  firstAudioMs: number | null;
  /** Voice-to-voice latency. */
  totalMs: number;
  /** Consecutive parts of the total. Work that finished before the previous part counts as 0. */
  parts: Readonly<Record<Part, number>>;
}

export function latencyRows(
  events: readonly Schemas['CallEvent'][],
  entries: readonly TranscriptEntry[],
): readonly LatencyRow[] {
  const spoken = entries.filter(
    (entry): entry is Utterance => entry.kind === 'utterance' && entry.speaker === 'user' && entry.byVoice,
  );
  return events.flatMap((event, index) => {
    const { type, extras } = event;
    const of = (name: string): number | null => {
      const value = extras?.[name];
      return typeof value === 'number' ? value : null;
    };
    const [endpointMs, transcriptMs, decidedMs] = [of('endpointMs'), of('transcriptMs'), of('decidedMs')];
    // Events of earlier releases have no `firstSoundMs`.
    const totalMs = of('firstSoundMs') ?? of('firstAudioSentMs');
    if (type !== 'turn_latency' || endpointMs === null || transcriptMs === null) return [];
    if (decidedMs === null || totalMs === null) return [];
    const [firstTokenMs, firstAudioMs] = [of('firstTokenMs'), of('firstAudioMs')];
    const atMs = eventMs(event);
    return [
      {
        key: String(index),
        atMs,
        words: spoken[countStarted(spoken, atMs) - 1]?.text ?? null,
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

/** The duration of each step after the end of the previous one. */
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

/** The quantile `share` (0 to 1) of the values; null if there are none. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
