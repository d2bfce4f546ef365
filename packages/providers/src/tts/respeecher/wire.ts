import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { languageCode } from '../../language-code.ts';
import { settingsValidator, type VoiceSettings } from '../voice-settings.ts';
import { respeecher } from './descriptor.ts';

export type RespeecherSettings = VoiceSettings<typeof respeecher>;

export const respeecherSettings = settingsValidator(respeecher);

export const SAMPLE_RATE_HZ = 24_000;
const DEFAULT_MODEL = 'public/tts/en-rt';
/** Each model supports one language. */
const UKRAINIAN_MODEL = 'public/tts/ua-rt';

export function socketPath(settings: RespeecherSettings, languageHint: string | null): string {
  const model = settings.model ?? (languageCode(languageHint) === 'uk' ? UKRAINIAN_MODEL : DEFAULT_MODEL);
  return `/v1/${model.replace(/^\/?(?:v1\/)?/, '')}/tts/websocket`;
}

export function generation(settings: RespeecherSettings, contextId: string, transcript: string): object {
  return {
    context_id: contextId,
    transcript,
    continue: false,
    voice: {
      id: settings.voiceId,
      sampling_params: {
        seed: settings.seed,
        temperature: settings.temperature,
        top_k: settings.topK,
        top_p: settings.topP,
        min_p: settings.minP,
        presence_penalty: settings.presencePenalty,
        repetition_penalty: settings.repetitionPenalty,
        frequency_penalty: settings.frequencyPenalty,
      },
    },
    output_format: { encoding: 'pcm_s16le', sample_rate: SAMPLE_RATE_HZ },
  };
}

/** A message of the provider; other kinds and fields are ignored. */
export const contextMessage = compileValidator(
  'speech message',
  Type.Object({
    type: Type.String(),
    context_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    data: Type.Optional(Type.String()),
    error: Type.Optional(Type.String()),
    status_code: Type.Optional(Type.Number()),
  }),
);
