import { describe, expect, it } from '@jest/globals';
import { DEFAULT_ESPEAK_SETTINGS, espeakVoices, voiceForLanguage } from './voices.ts';
import { parseSettings } from './wire.ts';

describe('espeakVoices', () => {
  it('have unique keys and names, and fields and settings that the catalogue and the engine accept', () => {
    expect(new Set(espeakVoices.map(({ key }) => key)).size).toBe(espeakVoices.length);
    expect(new Set(espeakVoices.map(({ name }) => name)).size).toBe(espeakVoices.length);
    for (const voice of espeakVoices) {
      expect(voice.key).toMatch(/^[a-z0-9-]+$/);
      expect(voice.name.length).toBeLessThanOrEqual(40);
      expect(voice.primaryLanguage?.length).toBeLessThanOrEqual(10);
      expect(parseSettings(voice.settings)).toEqual(voice.settings);
    }
    expect(espeakVoices.some(({ settings }) => settings['voice'] === DEFAULT_ESPEAK_SETTINGS.voice)).toBe(
      true,
    );
  });
});

describe('voiceForLanguage', () => {
  it.each([
    ['en-us+f3', null, 'en-us+f3'],
    ['en-us+f3', 'en-GB', 'en-us+f3'],
    ['en-us+f3', 'de', 'de+f3'],
    ['en-us', 'pt', 'pt-br'],
    ['en-us+m3', 'pt-PT', 'pt+m3'],
    ['en-us', 'ES-419', 'es-419'],
    ['cmn+f3', 'zh', 'cmn+f3'],
    ['cmn+f3', 'zh-TW', 'cmn+f3'],
    ['de', 'xx', 'de'],
    ['sw', 'sw-KE', 'sw'],
  ])('maps the voice %s for the language %s to %s', (voice, hint, expected) => {
    expect(voiceForLanguage(voice, hint)).toBe(expected);
  });
});
