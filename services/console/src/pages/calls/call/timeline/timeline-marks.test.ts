import { describe, expect, it } from '@jest/globals';
import type { ToolUse, TranscriptEntry, Utterance } from '../transcript/transcript-entries.ts';
import { groupPoints, lastMs, timelineMarks, type Point } from './timeline-marks.ts';

const utterance = (given: Partial<Utterance>): Utterance => ({
  kind: 'utterance',
  key: 'u',
  startMs: 1000,
  endMs: 2000,
  speaker: 'agent',
  byVoice: true,
  text: 'Hello!',
  isInterrupted: false,
  answeredAfterMs: null,
  ...given,
});
const tool = (answer: ToolUse['answer']): ToolUse => ({
  kind: 'tool',
  key: 't',
  startMs: 3000,
  name: 'find',
  invocationId: 'i',
  arguments: '{}',
  answer,
  passages: null,
});

describe('timelineMarks', () => {
  it('shows speech as spans, and text and interruptions as points', () => {
    const { spans, points } = timelineMarks(
      [
        utterance({ isInterrupted: true }),
        utterance({ key: 'typed', speaker: 'user', byVoice: false, startMs: 2500, endMs: 2500 }),
      ],
      9000,
    );
    expect(spans).toEqual([{ key: 'u', speaker: 'agent', startMs: 1000, endMs: 2000 }]);
    expect(points).toEqual([
      { key: 'cut:u', atMs: 2000, kind: 'interruption', label: 'Interrupted' },
      { key: 'typed', atMs: 2500, kind: 'text', label: 'Text of the user' },
    ]);
  });

  it('shows tools until their result, or until the end of the call when there is none', () => {
    const answered = tool({ text: '', error: 'late', endMs: 3400, callState: null });
    expect(timelineMarks([answered, tool(null)], 9000).tools).toEqual([
      { key: 't', startMs: 3000, endMs: 3400, isFailed: true, label: 'find, failed' },
      { key: 't', startMs: 3000, endMs: 9000, isFailed: false, label: 'find' },
    ]);
  });

  it('shows stages and errors as points', () => {
    const entries: TranscriptEntry[] = [
      { kind: 'stage', key: 's', startMs: 10, number: 2 },
      { kind: 'note', key: 'n', startMs: 20, severity: 'error', type: 'internal_error', text: '' },
    ];
    expect(timelineMarks(entries, 0).points).toEqual([
      { key: 's', atMs: 10, kind: 'stage', label: 'Stage 2' },
      { key: 'n', atMs: 20, kind: 'error', label: 'internal_error' },
    ]);
  });

  it('lastMs returns the end of the last entry', () => {
    expect(lastMs([])).toBe(0);
    expect(lastMs([tool({ text: '', error: null, endMs: 3400, callState: null }), utterance({})])).toBe(3400);
  });
});

describe('groupPoints', () => {
  const point = (atMs: number, kind: Point['kind'] = 'warning'): Point => ({
    key: `${kind}${atMs}`,
    atMs,
    kind,
    label: '',
  });

  it('groups points of a kind by their distance from the first one of the group', () => {
    const groups = groupPoints([point(0), point(60), point(90, 'error'), point(100), point(99)], 100);
    expect(groups).toEqual([[point(0), point(60), point(99)], [point(90, 'error')], [point(100)]]);
  });

  it('groups nothing before the width of the timeline is known', () => {
    expect(groupPoints([point(5), point(5)], 0)).toEqual([[point(5)], [point(5)]]);
  });
});
