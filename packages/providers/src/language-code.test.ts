import { describe, expect, it } from '@jest/globals';
import { languageCode } from './language-code.ts';

describe('languageCode', () => {
  it.each([
    ['en-US', 'en'],
    ['pt', 'pt'],
    ['zh-Hant-TW', 'zh'],
    ['yue', null],
    ['not a tag', null],
    ['', null],
    [null, null],
  ])('maps %s to %s', (tag, code) => {
    expect(languageCode(tag)).toBe(code);
  });
});
