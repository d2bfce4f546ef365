import { expect, it } from '@jest/globals';
import { espeakVoiceFor } from './voices.ts';

it.each([
  [null, null],
  ['en', null],
  ['en-US', null],
  ['de', 'de+f3'],
  ['es-419', 'es-419+f3'],
  ['ja', 'en-us+f3'],
])('espeakVoiceFor maps the language %j to the espeak-ng voice %j, or to null for flite', (hint, voice) =>
  expect(espeakVoiceFor(hint)).toBe(voice),
);
