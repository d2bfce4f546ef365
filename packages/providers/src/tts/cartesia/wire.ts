import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { languageCode } from '../../language-code.ts';
import type { SentenceRequest } from '../http-text-to-speech.ts';
import { settingsValidator, type VoiceSettings } from '../voice-settings.ts';
import { cartesia } from './descriptor.ts';

export type CartesiaSettings = VoiceSettings<typeof cartesia>;

export const cartesiaSettings = settingsValidator(cartesia);

export const API_VERSION = '2025-04-16';
export const SAMPLE_RATE_HZ = 24_000;
const DEFAULT_MODEL = 'sonic-3';
/** Models before the third generation have no controls. */
const OLDER_MODEL = /^sonic-(?:2|turbo)(?:-\d{4}-\d\d-\d\d)?$/;

export function speechBody(settings: CartesiaSettings, { text, languageHint }: SentenceRequest): object {
  const { model = DEFAULT_MODEL, generationConfig } = settings;
  return {
    model_id: model,
    transcript: text,
    voice: { mode: 'id', id: settings.voiceId },
    language: languageCode(languageHint) ?? undefined,
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: SAMPLE_RATE_HZ },
    add_timestamps: true,
    generation_config: OLDER_MODEL.test(model) ? undefined : generationFields(settings),
    pronunciation_dict_id: generationConfig?.pronunciationDictId,
  };
}

function generationFields(settings: CartesiaSettings): object | undefined {
  const { volume, speed, emotion } = settings.generationConfig ?? {};
  const fields = {
    volume,
    speed: speed ?? settings.speed,
    emotion: emotion ?? settings.emotion ?? settings.emotions?.[0],
  };
  return Object.values(fields).every((value) => value === undefined) ? undefined : fields;
}

const Words = Type.Object({
  words: Type.Array(Type.String()),
  start: Type.Array(Type.Number()),
  end: Type.Array(Type.Number()),
});

/** An event of the response; other kinds and fields are ignored. */
export const speechEvent = compileValidator(
  'speech event',
  Type.Object({
    type: Type.String(),
    data: Type.Optional(Type.String()),
    word_timestamps: Type.Optional(Words),
    status_code: Type.Optional(Type.Number()),
  }),
);
