import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { languageCode } from '../../language-code.ts';
import type { SentenceRequest } from '../http-text-to-speech.ts';
import { settingsValidator, type VoiceSettings } from '../voice-settings.ts';
import { elevenLabs } from './descriptor.ts';

export type ElevenLabsSettings = VoiceSettings<typeof elevenLabs>;

export const elevenLabsSettings = settingsValidator(elevenLabs);

const DEFAULT_MODEL = 'eleven_flash_v2_5';
/** Rates of its PCM formats, highest first. */
const RATES_HZ = [44_100, 24_000, 22_050, 16_000, 8000] as const;
const DEFAULT_MAX_RATE_HZ = 24_000;

export function sampleRateHz(settings: ElevenLabsSettings): number {
  const maxHz = settings.maxSampleRate ?? DEFAULT_MAX_RATE_HZ;
  return RATES_HZ.find((rateHz) => rateHz <= maxHz) ?? 8000;
}

/** URL parameters, the same for HTTP and WebSocket. */
export function urlParameters(settings: ElevenLabsSettings): URLSearchParams {
  const parameters = new URLSearchParams({ output_format: `pcm_${sampleRateHz(settings)}` });
  if (settings.optimizeStreamingLatency !== undefined)
    parameters.set('optimize_streaming_latency', String(settings.optimizeStreamingLatency));
  return parameters;
}

export function modelId(settings: ElevenLabsSettings): string {
  return settings.model ?? DEFAULT_MODEL;
}

/** Only these models accept a language; others reject it. */
export function languageOf(settings: ElevenLabsSettings, languageHint: string | null): string | undefined {
  return /_v2_5$|_v3/.test(modelId(settings)) ? (languageCode(languageHint) ?? undefined) : undefined;
}

/** Fields that the request and the WebSocket's first message share. */
export function voiceFields(settings: ElevenLabsSettings): object {
  const { stability, similarityBoost, style, useSpeakerBoost, speed, pronunciationDictionaries } = settings;
  return {
    voice_settings: {
      stability,
      similarity_boost: similarityBoost,
      style,
      use_speaker_boost: useSpeakerBoost,
      speed,
    },
    pronunciation_dictionary_locators: pronunciationDictionaries?.map(({ dictionaryId, versionId }) => ({
      pronunciation_dictionary_id: dictionaryId,
      version_id: versionId,
    })),
  };
}

export function speechBody(settings: ElevenLabsSettings, sentence: SentenceRequest): object {
  const model = modelId(settings);
  return {
    text: sentence.text,
    model_id: model,
    language_code: languageOf(settings, sentence.languageHint),
    ...voiceFields(settings),
    // Improves intonation; eleven_v3 rejects it.
    previous_text: sentence.previous === '' || model.includes('_v3') ? undefined : sentence.previous,
  };
}

const Characters = Type.Array(Type.String());
const Times = Type.Array(Type.Number());

/** A line of the response of `/stream/with-timestamps`; times count from the start of the audio. */
export const speechLine = compileValidator(
  'speech line',
  Type.Object({
    audio_base64: Type.String(),
    alignment: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Object({
          characters: Characters,
          character_start_times_seconds: Times,
          character_end_times_seconds: Times,
        }),
      ]),
    ),
  }),
);
