import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';

/** `VoiceSelection.settings` of this engine. */
export const SpeechVoiceSettings = Type.Object(
  {
    voice: Type.String({ minLength: 1 }),
    /** Default: the endpoint's configured model. */
    model: Type.Optional(Type.String({ minLength: 1 })),
    speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4 })),
    /** Rate of headerless PCM; a WAV response has its own rate. */
    sampleRateHz: Type.Optional(Type.Integer({ minimum: 8000, maximum: 48_000 })),
    /** `wav` is for servers that do not support `pcm`. */
    responseFormat: Type.Optional(Type.Enum(['pcm', 'wav'])),
  },
  { additionalProperties: false },
);
export type SpeechVoiceSettings = Static<typeof SpeechVoiceSettings>;

export const speechVoiceSettings = compileValidator('voice settings', SpeechVoiceSettings);

/** The rate of OpenAI's `pcm`. */
export const DEFAULT_SAMPLE_RATE_HZ = 24_000;

export function speechBody(sentence: string, model: string, settings: SpeechVoiceSettings): Buffer {
  return Buffer.from(
    JSON.stringify({
      model: settings.model ?? model,
      voice: settings.voice,
      input: sentence,
      response_format: settings.responseFormat ?? 'pcm',
      ...(settings.speed === undefined ? {} : { speed: settings.speed }),
    }),
  );
}
