import type { Speaker, TranscriptEntry } from '../transcript/transcript-entries.ts';

/** Content of the timeline besides the waveform, in call time. */
export interface TimelineMarks {
  /** Times in which one side speaks. */
  spans: readonly { key: string; speaker: Speaker; startMs: number; endMs: number }[];
  tools: readonly { key: string; startMs: number; endMs: number; isFailed: boolean; label: string }[];
  points: readonly Point[];
}

export interface Point {
  key: string;
  atMs: number;
  kind: PointKind;
  label: string;
}

export type PointKind = 'interruption' | 'text' | 'stage' | 'info' | 'warning' | 'error';

/** A tool without a result is shown as running until `endMs`, the end of the timeline. */
export function timelineMarks(entries: readonly TranscriptEntry[], endMs: number): TimelineMarks {
  const spans: TimelineMarks['spans'][number][] = [];
  const tools: TimelineMarks['tools'][number][] = [];
  const points: TimelineMarks['points'][number][] = [];
  for (const entry of entries) {
    const { key, startMs } = entry;
    switch (entry.kind) {
      case 'utterance':
        if (entry.byVoice) spans.push({ key, speaker: entry.speaker, startMs, endMs: entry.endMs });
        else points.push({ key, atMs: startMs, kind: 'text', label: `Text of the ${entry.speaker}` });
        if (entry.isInterrupted) {
          points.push({ key: `cut:${key}`, atMs: entry.endMs, kind: 'interruption', label: 'Interrupted' });
        }
        break;
      case 'tool': {
        const isFailed = entry.answer !== null && entry.answer.error !== null;
        const label = `${entry.name}${isFailed ? ', failed' : ''}`;
        tools.push({ key, startMs, endMs: entry.answer?.endMs ?? endMs, isFailed, label });
        break;
      }
      case 'stage':
        points.push({ key, atMs: startMs, kind: 'stage', label: `Stage ${entry.number}` });
        break;
      case 'whisper':
        points.push({ key, atMs: startMs, kind: 'text', label: 'Instruction of a supervisor' });
        break;
      case 'note':
        points.push({ key, atMs: startMs, kind: entry.severity, label: entry.text || entry.type });
        break;
    }
  }
  return { spans, tools, points };
}

/** Groups the points of a kind that are less than `withinMs` after the first one of their group. */
export function groupPoints(
  points: readonly Point[],
  withinMs: number,
): readonly (readonly [first: Point, ...others: Point[]])[] {
  const groups: [Point, ...Point[]][] = [];
  const latest = new Map<PointKind, [Point, ...Point[]]>();
  for (const point of points.toSorted((a, b) => a.atMs - b.atMs)) {
    const group = latest.get(point.kind);
    if (group && point.atMs - group[0].atMs < withinMs) {
      group.push(point);
      continue;
    }
    const started: [Point] = [point];
    latest.set(point.kind, started);
    groups.push(started);
  }
  return groups;
}

/** End of the last mark. */
export function lastMs(entries: readonly TranscriptEntry[]): number {
  const endOf = (entry: TranscriptEntry): number => {
    if (entry.kind === 'utterance') return entry.endMs;
    return entry.kind === 'tool' ? (entry.answer?.endMs ?? entry.startMs) : entry.startMs;
  };
  return entries.reduce((most, entry) => Math.max(most, endOf(entry)), 0);
}
