import { expect, it } from '@jest/globals';
import { listenLanguage } from './language.ts';

it.each([
  ['en-US', 'en-US'],
  ['en-ZA', 'en'],
  ['de-AT', 'de'],
  ['de-CH', 'de-CH'],
  ['es-419', 'es-419'],
  ['zh-Hant-TW', 'zh-TW'],
  ['zh-Hans', 'zh-Hans'],
  ['nb-NO', 'no'],
  ['pl', 'pl'],
  ['no such tag', 'multi'],
  [null, 'multi'],
])('listenLanguage maps %s to %s', (tag, expected) => {
  expect(listenLanguage(tag)).toBe(expected);
});
