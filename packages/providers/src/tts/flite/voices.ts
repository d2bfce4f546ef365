import type { CatalogueVoice } from '../../config/catalogue-voice.ts';
import { isEnglish } from '../../language-code.ts';
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
 * The voice of espeak-ng for `languageHint` (BCP 47). Null if flite speaks: in English and without a hint.
 */
export function espeakVoiceFor(languageHint: string | null): string | null {
  if (languageHint === null || isEnglish(languageHint)) return null;
  return voiceForLanguage(DEFAULT_ESPEAK_SETTINGS.voice, languageHint);
}
