import type { CatalogueVoice } from '../../config/catalogue-voice.ts';
import { DEFAULT_ESPEAK_SETTINGS, voiceForLanguage } from '../espeak-ng/voices.ts';

/** Adapter name for errors, and key in the registry. */
export const FLITE = 'flite';

/** Catalogue entries of the embedded engine for English. */
export const fliteVoices: readonly CatalogueVoice[] = [
  {
    key: 'flite-en-us-female',
    name: 'English (US), female (flite)',
    description: 'Synthetic female voice of the embedded engine for English, flite',
    primaryLanguage: 'en-US',
    languageLabel: 'English (US)',
    engine: FLITE,
    settings: { voice: 'slt' },
  },
];

/**
 * The voice of espeak-ng for `languageHint` (BCP 47). Null if flite speaks: in English, without a hint, and for languages
 * that espeak-ng has no voice for.
 */
export function espeakVoiceFor(languageHint: string | null): string | null {
  const voice = voiceForLanguage(DEFAULT_ESPEAK_SETTINGS.voice, languageHint);
  return voice === DEFAULT_ESPEAK_SETTINGS.voice ? null : voice;
}
