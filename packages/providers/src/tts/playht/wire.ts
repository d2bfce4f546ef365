import { languageCode } from '../../language-code.ts';
import type { SentenceRequest } from '../http-text-to-speech.ts';
import { settingsValidator, type VoiceSettings } from '../voice-settings.ts';
import { playHt } from './descriptor.ts';

export type PlayHtSettings = VoiceSettings<typeof playHt>;

export const playHtSettings = settingsValidator(playHt);

export const SAMPLE_RATE_HZ = 24_000;
const DEFAULT_MODEL = 'Play3.0-mini';

/** The first generation speaks English only and rejects a language. */
const ENGLISH_ONLY = 'PlayHT';
/** The provider's language names are English, in lower case, with these exceptions. */
const NAMES: Readonly<Record<string, string>> = { zh: 'mandarin', tl: 'tagalog' };
const LANGUAGES = new Set(
  'af sq am ar bn bg ca hr cs da nl en fr gl de el he hi hu id it ja ko ms zh pl pt ru sr es sv tl th tr uk ur xh'.split(
    ' ',
  ),
);
const englishNames = new Intl.DisplayNames(['en'], { type: 'language' });

function languageName(model: string, languageHint: string | null): string | undefined {
  const language = languageCode(languageHint);
  if (language === null || !LANGUAGES.has(language) || model.startsWith(ENGLISH_ONLY)) return undefined;
  return NAMES[language] ?? englishNames.of(language)?.toLowerCase();
}

export function speechBody(settings: PlayHtSettings, { text, languageHint }: SentenceRequest): object {
  const { model = DEFAULT_MODEL } = settings;
  return {
    text,
    voice: settings.voiceId,
    voice_engine: model,
    // Without a language, text is read as English.
    language: languageName(model, languageHint),
    // Streamed, with its own rate in the header.
    output_format: 'wav',
    sample_rate: SAMPLE_RATE_HZ,
    speed: settings.speed,
    quality: settings.quality,
    temperature: settings.temperature,
    emotion: settings.emotion,
    voice_guidance: settings.voiceGuidance,
    style_guidance: settings.styleGuidance,
    text_guidance: settings.textGuidance,
    voice_conditioning_seconds: settings.voiceConditioningSeconds,
  };
}
