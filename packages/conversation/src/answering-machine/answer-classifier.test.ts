import { describe, expect, it } from '@jest/globals';
import { DETECTION_LIMIT_MS, initialAnswerState, stepAnswer, type AnswerState } from './answer-classifier.ts';

/**
 * Plays a pattern: `#` is a 32 ms window of speech and `.` one of silence, each with an optional repeat count.
 * Quotes contain words, and `!` is a beep.
 */
function after(pattern: string): AnswerState {
  let state = initialAnswerState();
  let atMs = 0;
  for (const [, sign, count, text] of pattern.matchAll(/([#.!])(\d*)|'([^']*)'/gu)) {
    if (text !== undefined) state = stepAnswer(state, { type: 'words', text, atMs });
    else if (sign === '!') state = stepAnswer(state, { type: 'beep', atMs });
    else
      for (let i = 0; i < Number(count || 1); i += 1) {
        atMs += 32;
        state = stepAnswer(state, { type: 'window', probability: sign === '#' ? 0.9 : 0.1, atMs });
      }
  }
  return state;
}

/** What answered the call, and the evidence for it. */
const answer = (pattern: string): string | null => {
  const { answer: found } = after(pattern);
  return found && `${found.answeredBy}: ${found.evidence}`;
};

describe('stepAnswer', () => {
  it('treats a short greeting followed by silence as a human', () => {
    expect(answer('.10 #15 .24')).toBeNull();
    expect(answer('.10 #15 .25')).toBe('human: short_greeting');
    expect(answer('#12 .14 #12 .25')).toBe('human: short_greeting');
    expect(answer('#50 .25')).toBe('human: short_greeting');
  });

  it('treats a long greeting without pauses as a machine', () => {
    expect(answer('.20 #57')).toBeNull();
    expect(answer('.20 #58')).toBe('machine: long_greeting');
    expect(answer('#20 .5 #20 .8 #10')).toBe('machine: long_greeting');
    expect(answer('#15 .18 #58')).toBe('machine: long_greeting');
  });

  it('does not treat repeated words or noise as a long greeting', () => {
    expect(answer('#15 .14 #15 .14 #15 .14 #15')).toBeNull();
    expect(answer('#2 .9 #2 .9 #2 .9 #2 .9 #2 .9 #2 .9')).toBeNull();
    expect(answer('.40 #2 .40')).toBeNull();
  });

  it('lets words and beeps override the greeting timing', () => {
    expect(answer("#15 .25 'leave a message'")).toBe('machine: words');
    expect(answer('#15 .25 .60 !')).toBe('machine: beep');
    expect(answer("#80 'how can I help you'")).toBe('human: words');
    expect(answer("#80 'press one for sales'")).toBe('ivr: words');
    expect(answer("#80 'who is calling please'")).toBe('screening: words');
    expect(answer("#30 'please state your name'")).toBe('screening: words');
  });

  it('does not let weaker phrases override stronger ones', () => {
    expect(answer("'press one for sales' 'leave a message after the tone'")).toBe('machine: words');
    expect(answer("'leave a message after the tone' 'press one for more'")).toBe('machine: words');
    expect(answer("'please state your name' 'leave a message'")).toBe('screening: words');
    expect(answer("'please state your name' !")).toBe('screening: words');
    expect(answer("'you have reached acme' 'for sales press one'")).toBe('ivr: words');
    expect(answer("'for sales press one' 'you have reached sales'")).toBe('ivr: words');
    expect(answer("! 'how can I help you'")).toBe('machine: beep');
  });

  it('reports a human even if the person uses a phrase of a machine', () => {
    expect(answer("#30 .25 'who is calling'")).toBe('human: short_greeting');
    expect(answer("#15 .300 'she is not available'")).toBe('human: short_greeting');
    expect(answer("#15 .500 'press one'")).toBe('human: short_greeting');
  });

  it('recognizes a menu that begins with a short welcome', () => {
    expect(answer("#15 .300 'please listen carefully'")).toBe('ivr: words');
  });

  it('reports unknown after 5 s of silence, and classifies speech that follows', () => {
    expect(answer('.156')).toBeNull();
    expect(answer('.157')).toBe('unknown: silence');
    expect(answer('.200 #15 .25')).toBe('human: short_greeting');
    expect(answer('.200 #58')).toBe('machine: long_greeting');
  });

  it('reports unknown at its time limit and ignores later input', () => {
    const windows = Math.ceil(DETECTION_LIMIT_MS / 32);
    expect(answer('#20 .12'.repeat(Math.ceil(windows / 32)))).toBe('unknown: time_limit');
    expect(answer(`#15 .${windows} !`)).toBe('human: short_greeting');
  });
});
