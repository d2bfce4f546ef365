import { describe, expect, it } from '@jest/globals';
import { espeakVoices } from '@calls/providers/tts/espeak-ng/voices';
import { previewSentence } from './preview-sentences.ts';

describe('previewSentence', () => {
  it('returns a sentence in the language of the voice, whatever its region and case', () => {
    const german = previewSentence('de');
    expect(german).toMatch(/^Hallo/u);
    for (const tag of ['de-AT', 'DE', 'de-Latn-CH']) expect(previewSentence(tag)).toBe(german);
    expect(previewSentence('no')).toBe(previewSentence('nb-NO'));
    expect(previewSentence('cmn-Hans')).toBe(previewSentence('zh'));
  });

  it('returns the English sentence for an unknown language', () => {
    const english = previewSentence('en');
    for (const tag of [null, '', 'tlh', 'constructor', '__proto__'])
      expect(previewSentence(tag)).toBe(english);
  });

  it('has a sentence for every language of the local voices', () => {
    const english = previewSentence('en');
    const without = espeakVoices
      .map(({ primaryLanguage }) => primaryLanguage)
      .filter((tag) => !tag?.startsWith('en') && previewSentence(tag) === english);
    expect(without).toEqual([]);
  });
});
