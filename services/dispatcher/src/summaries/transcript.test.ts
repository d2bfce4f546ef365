import { describe, expect, it } from '@jest/globals';
import { transcriptOf } from './transcript.ts';

describe('transcriptOf', () => {
  it('writes a line for each utterance of user and agent', () => {
    expect(
      transcriptOf([
        { role: 'MESSAGE_ROLE_AGENT', text: 'Hello,\nhow can I help?' },
        { role: 'MESSAGE_ROLE_USER', text: ' My parcel is late. ' },
        { role: 'MESSAGE_ROLE_TOOL_CALL', text: '{}' },
        { role: 'MESSAGE_ROLE_AGENT' },
      ]),
    ).toBe('Agent: Hello, how can I help?\nUser: My parcel is late.');
  });

  it('includes tool calls and their results if requested', () => {
    const messages = [
      { role: 'MESSAGE_ROLE_USER', text: 'Book it.' },
      { role: 'MESSAGE_ROLE_TOOL_CALL', toolName: 'book', text: '{"room": 12}' },
      { role: 'MESSAGE_ROLE_TOOL_RESULT', toolName: 'book', text: 'booked' },
    ] as const;
    expect(transcriptOf(messages, { withTools: true })).toBe(
      'User: Book it.\nTool call book: {"room": 12}\nTool result book: booked',
    );
  });

  it('returns null when the user said nothing', () => {
    expect(transcriptOf([])).toBeNull();
    expect(transcriptOf([{ role: 'MESSAGE_ROLE_AGENT', text: 'Hello?' }])).toBeNull();
    expect(transcriptOf([{ role: 'MESSAGE_ROLE_USER', text: '  ' }])).toBeNull();
  });

  it('retains the beginning and the end of a long call', () => {
    const text = 'word '.repeat(10_000);
    const transcript = transcriptOf([
      { role: 'MESSAGE_ROLE_USER', text: `first ${text}` },
      { role: 'MESSAGE_ROLE_AGENT', text: `${text} last` },
    ]);
    expect(transcript!.length).toBeLessThan(24_100);
    expect(transcript).toMatch(/^User: first[^]*last$/);
  });
});
