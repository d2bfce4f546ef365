import { describe, expect, it } from '@jest/globals';
import type { TranscriptMessage } from '@calls/api-contract/data-messages/server-messages';
import type { Transcript } from './application-types.ts';
import { withTranscript } from './transcripts.ts';

function after(...messages: (Pick<TranscriptMessage, 'ordinal'> & Partial<TranscriptMessage>)[]) {
  return messages.reduce<readonly Transcript[]>(
    (transcripts, message) =>
      withTranscript(transcripts, {
        type: 'transcript',
        role: 'agent',
        medium: 'voice',
        text: null,
        delta: null,
        final: false,
        ...message,
      }),
    [],
  );
}

describe('withTranscript', () => {
  it('appends deltas, and replaces the text when a message has the full text', () => {
    expect(after({ ordinal: 0, delta: 'Good ' }, { ordinal: 0, delta: 'morn' })).toEqual([
      { role: 'agent', medium: 'voice', text: 'Good morn', isFinal: false, ordinal: 0 },
    ]);
    expect(after({ ordinal: 0, delta: 'Good morn' }, { ordinal: 0, text: 'Good', final: true })).toEqual([
      expect.objectContaining({ text: 'Good', isFinal: true }),
    ]);
  });

  it('orders transcripts by ordinal, also with gaps', () => {
    const transcripts = after(
      { ordinal: 1, text: 'b' },
      { ordinal: 4, text: 'e' },
      { ordinal: 0, text: 'a', role: 'user' },
      { ordinal: 1, delta: 'B' },
    );
    expect(transcripts.map(({ ordinal, text }) => [ordinal, text])).toEqual([
      [0, 'a'],
      [1, 'bB'],
      [4, 'e'],
    ]);
  });

  it('does not change the array that it is given', () => {
    const before = after({ ordinal: 0, delta: 'a' });
    const next = withTranscript(before, {
      type: 'transcript',
      role: 'agent',
      medium: 'voice',
      text: null,
      delta: 'b',
      final: false,
      ordinal: 0,
    });
    expect(before[0]?.text).toBe('a');
    expect(next[0]?.text).toBe('ab');
  });
});
