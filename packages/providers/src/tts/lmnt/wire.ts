import { languageCode } from '../../language-code.ts';
import type { SentenceRequest } from '../http-text-to-speech.ts';
import { settingsValidator, type VoiceSettings } from '../voice-settings.ts';
import { lmnt } from './descriptor.ts';

export type LmntSettings = VoiceSettings<typeof lmnt>;

export const lmntSettings = settingsValidator(lmnt);

export const SAMPLE_RATE_HZ = 24_000;

const LANGUAGES = new Set(
  'ar as bn cs da de en es fi fr hi id it ja ko ml mr nl pl pt ru sk sv ta te th tr uk ur vi zh'.split(' '),
);

export function speechBody(settings: LmntSettings, { text, languageHint }: SentenceRequest): object {
  const language = languageCode(languageHint);
  return {
    voice: settings.voiceId,
    text,
    model: settings.model,
    // Other languages are rejected; without one, the language is detected.
    language: language !== null && LANGUAGES.has(language) ? language : undefined,
    format: 'pcm_s16le',
    sample_rate: SAMPLE_RATE_HZ,
  };
}
