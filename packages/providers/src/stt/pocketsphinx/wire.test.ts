import { describe, expect, it } from '@jest/globals';
import { isEnglish, parseLogLine, plainWords, shellArguments } from './wire.ts';

describe('parseLogLine', () => {
  it.each([
    [
      'what is the weather like today (u7 -6660)',
      { type: 'hypothesis', utteranceId: 'u7', text: 'what is the weather like today' },
    ],
    [' (u8 -445)', { type: 'hypothesis', utteranceId: 'u8', text: '' }],
    ['u7 done --------------------------------------', { type: 'done', utteranceId: 'u7' }],
    [
      'ERROR: "ngram_search.c", line 1139: Couldn\'t find <s>',
      { type: 'error', message: '"ngram_search.c", line 1139: Couldn\'t find <s>' },
    ],
    [
      'INFO: batch.c(760): u7: 1.94 seconds speech, 0.35 seconds CPU, 0.35 seconds wall',
      { type: 'cost', utteranceId: 'u7', cpuMs: 350 },
    ],
    ['the(2)               54    63    0.995 -249856', { type: 'other' }],
    ['', { type: 'other' }],
  ])('parses %j', (line, expected) => {
    expect(parseLogLine(line)).toEqual(expected);
  });
});

describe('plainWords', () => {
  it('removes markers and fillers, and converts to lower case', () => {
    expect(plainWords("<s> The(2) [NOISE] <sil> Doctor's ++UH++ in(3) </s>")).toBe("the doctor's in");
  });
});

describe('isEnglish', () => {
  it.each([null, 'en', 'EN-us', 'en_GB'])('returns true for %s', (hint) =>
    expect(isEnglish(hint)).toBe(true),
  );
  it.each(['de', 'enm', 'es-US', ''])('returns false for %j', (hint) => expect(isEnglish(hint)).toBe(false));
});

describe('shellArguments', () => {
  it('passes paths as arguments, never as part of the script', () => {
    const [, script, , ...rest] = shellArguments('ps; rm -rf /', '/m $(x)');
    expect(script).not.toContain('rm -rf');
    expect(rest).toContain('/m $(x)/en-us.lm.bin');
  });
});
