import { describe, expect, it } from '@jest/globals';
import { isNotable, noteText } from './event-notes.ts';

describe('event notes', () => {
  it.each([
    ['warning', 'speech_dismissed', true],
    ['error', 'transcript_lost', true],
    ['info', 'reply_slow', true],
    ['info', 'response_missing', true],
    ['info', 'interrupted', false],
    ['debug', 'speech_dismissed', false],
  ])('%s %s is notable: %p', (severity, type, expected) => {
    expect(isNotable({ severity, type })).toBe(expected);
  });

  it('include the words of dismissed speech', () => {
    const text = 'Speech was dismissed: it was a backchannel.';
    expect(noteText({ text, extras: { reason: 'backchannel', text: 'mm-hm' } })).toBe(`${text} “mm-hm”`);
    expect(noteText({ text, extras: { text: '' } })).toBe(text);
    expect(noteText({ text, extras: null })).toBe(text);
  });
});
