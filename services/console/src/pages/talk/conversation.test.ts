import { describe, expect, it } from '@jest/globals';
import type { Transcript } from '@calls/client';
import { conversationOf, lastOrdinal, medianOf, type ConversationItem } from './conversation.ts';

const said = (ordinal: number, role: 'user' | 'agent', text: string): Transcript => ({
  ordinal,
  role,
  text,
  medium: 'voice',
  isFinal: true,
});
const transcripts = [
  said(0, 'agent', 'Hello.'),
  said(1, 'user', 'Hi, when is breakfast?'),
  said(2, 'agent', 'From seven'),
  said(3, 'user', 'Thanks.'),
  said(4, 'agent', ' '),
];

function textOf(item: ConversationItem): string {
  if (item.type === 'utterance') return item.transcript.text;
  return item.type === 'tool' ? item.tool.name : item.note.text;
}

describe('conversationOf', () => {
  it('lists utterances, tools and notes in order, with turn latency and interruptions', () => {
    const tool = { id: 't', name: 'lookup', durationMs: 40, error: null, afterOrdinal: 1 };
    const items = conversationOf({
      transcripts,
      interrupted: new Set([2]),
      turns: [{ afterOrdinal: 0, tookMs: 700 }],
      tools: [tool],
      notes: [{ id: 0, severity: 'warning', text: 'Speech was dismissed.', afterOrdinal: 2 }],
    });
    expect(items.map(textOf)).toEqual([
      'Hello.',
      'Hi, when is breakfast?',
      'lookup',
      'From seven',
      'Speech was dismissed.',
      'Thanks.',
    ]);
    expect(items[3]).toMatchObject({ isInterrupted: true, tookMs: 700 });
    expect(items[0]).toMatchObject({ isInterrupted: false, tookMs: null });
  });

  it('appends tools that no utterance follows', () => {
    const tool = { id: 't', name: 'lookup', durationMs: 40, error: 'timeout', afterOrdinal: -1 };
    const nothing = { transcripts: [], interrupted: new Set<number>(), turns: [], notes: [] };
    expect(conversationOf({ ...nothing, tools: [tool] })).toEqual([{ type: 'tool', tool }]);
  });

  it('lastOrdinal returns the last utterance of either side or of one side', () => {
    expect(lastOrdinal(transcripts)).toBe(4);
    expect(lastOrdinal(transcripts, 'user')).toBe(3);
    expect(lastOrdinal([])).toBe(-1);
  });
});

describe('medianOf', () => {
  it.each([
    [[], null],
    [[3], 3],
    [[5, 1], 3],
    [[900, 100, 400], 400],
  ])('of %p returns %p', (values, expected) => expect(medianOf(values)).toBe(expected));
});
