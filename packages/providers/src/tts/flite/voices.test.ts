import { expect, it } from '@jest/globals';
import { espeakVoiceFor } from './voices.ts';

it.each([
  [null, null],
  ['en', null],
  ['en-US', null],
  ['de', 'de+f3'],
  ['es-419', 'es-419+f3'],
  ['ja', 'en-us+f3'],
])('speaks the language %j with the voice %j of espeak-ng, null being flite', (hint, voice) =>
  expect(espeakVoiceFor(hint)).toBe(voice),
);
