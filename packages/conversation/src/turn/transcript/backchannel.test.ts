import { describe, expect, it } from '@jest/globals';
import { BACKCHANNELS } from './backchannel-lists.ts';
import { isBackchannel, mayBeBackchannel } from './backchannel.ts';

describe('isBackchannel', () => {
  it.each([
    'mm-hm',
    'Mm-hmm.',
    'mmm',
    'okay',
    'Okay, okay.',
    'uh-huh',
    'right',
    'yeah yeah',
    'Yeaaah',
    'I see, okay',
    'oh, right',
  ])('returns true for "%s"', (text) => {
    expect(isBackchannel(text, 'en-US')).toBe(true);
    expect(isBackchannel(text, 'fi')).toBe(true);
    expect(isBackchannel(text, null)).toBe(true);
  });

  it.each([
    'okay, stop',
    'no',
    'wait',
    'right?',
    'huh',
    'yes I want that',
    'okay but',
    'one moment',
    '',
    'yeah yeah yeah yeah yeah yeah yeah yeah yeah',
  ])('returns false for "%s"', (text) => {
    expect(isBackchannel(text, 'en')).toBe(false);
    expect(isBackchannel(text, null)).toBe(false);
  });

  it('recognizes the backchannels of each language, also without a language hint', () => {
    expect(Object.keys(BACKCHANNELS).length).toBeGreaterThanOrEqual(10);
    for (const [language, list] of Object.entries(BACKCHANNELS)) {
      for (const phrase of list.split(', ')) {
        expect(isBackchannel(phrase, language)).toBe(true);
        expect(isBackchannel(phrase, null)).toBe(true);
      }
    }
    expect(isBackchannel('genau', 'de-AT')).toBe(true);
    expect(isBackchannel('genau', 'fr')).toBe(false);
    expect(isBackchannel('akkurat', 'no')).toBe(true);
    expect(isBackchannel('对对对', 'zh-CN')).toBe(true);
    expect(isBackchannel('不对', 'zh')).toBe(false);
  });
});

describe('mayBeBackchannel', () => {
  it.each(['', 'o', 'okay', 'i', 'all', 'right i', 'okay yea'])('returns true for "%s"', (text) => {
    expect(mayBeBackchannel(text, 'en')).toBe(true);
  });

  it.each(['st', 'okay st', 'i want', 'no'])('returns false for "%s"', (text) => {
    expect(mayBeBackchannel(text, 'en')).toBe(false);
  });
});
