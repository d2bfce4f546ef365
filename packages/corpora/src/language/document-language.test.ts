import { describe, expect, it } from '@jest/globals';
import { documentLanguage } from './document-language.ts';

describe('documentLanguage', () => {
  it.each([
    ['de_at', 'whatever', 'de-AT', 'german'],
    ['nb', 'whatever', 'nb', 'norwegian'],
    ['pl', 'whatever', 'pl', 'simple'],
    [null, 'Lamps may be returned within thirty days.', 'en', 'english'],
    ['not a tag!', 'Die Häuser in unserer Straße sind sehr alt.', 'de', 'german'],
    [null, '図書館は午前九時に開きます。毎週月曜日は休みです。', 'ja', 'simple'],
    [null, 'Whales.', null, 'english'],
    [null, '12345', null, 'simple'],
    ['constructor', 'Whales.', null, 'english'],
  ])('returns the language for the declared tag %p and the text %p', async (said, text, tag, textConfig) => {
    expect(await documentLanguage(said, text)).toEqual({ tag, textConfig });
  });
});
