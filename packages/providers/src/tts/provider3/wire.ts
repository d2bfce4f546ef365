import { compileValidator } from '@calls/api-contract/validation/validator';
import { Type, type Static } from 'typebox';
import { languageCode } from '../../language-code.ts';
import type { SentenceRequest } from '../http-text-to-speech.ts';
import { KEY_AND_VOICE, OptionalText } from '../voice-settings.ts';

/** `VoiceSelection.settings` of this engine. */
export const Provider3Settings = Type.Object(
  {
    ...KEY_AND_VOICE,
    model: OptionalText,
    speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 2 })),
    conversational: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type Provider3Settings = Static<typeof Provider3Settings>;

export const provider3Settings = compileValidator('voice settings', Provider3Settings);

export const SAMPLE_RATE_HZ = 24_000;

const LANGUAGES = new Set(
  [
    'ar',
    'de',
    'en',
    'es',
    'fr',
    'hi',
    'id',
    'it',
    'ja',
    'ko',
    'nl',
    'pl',
    'pt',
    'ru',
    'sv',
    'th',
    'tr',
  ].concat(['uk', 'ur', 'vi', 'zh']),
);

export function speechBody(settings: Provider3Settings, { text, languageHint }: SentenceRequest): object {
  const language = languageCode(languageHint);
  return {
    voice: settings.voiceId,
    text,
    model: settings.model,
    // Any other is refused; without one the language is detected.
    language: language !== null && LANGUAGES.has(language) ? language : undefined,
    format: 'pcm_s16le',
    sample_rate: SAMPLE_RATE_HZ,
    speed: settings.speed,
    conversational: settings.conversational,
  };
}
