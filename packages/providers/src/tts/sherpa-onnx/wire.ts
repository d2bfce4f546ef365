import { ProviderError } from '@calls/engine-ports/provider-error';
import { toError } from '@calls/foundation/errors';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { SHERPA_ONNX_TTS, VOICE_NAME } from './layout.ts';

/** `VoiceSelection.settings` of this engine. */
export const SherpaOnnxVoiceSettings = Type.Object(
  {
    /** Name of the voice's folder. */
    voice: Type.String({ pattern: VOICE_NAME.source }),
    /** For models with several speakers; default 0. */
    speakerId: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
    speed: Type.Optional(Type.Number({ minimum: 0.5, maximum: 2.5 })),
  },
  { additionalProperties: false },
);
export type SherpaOnnxVoiceSettings = Static<typeof SherpaOnnxVoiceSettings>;

const validator = compileValidator('voice settings', SherpaOnnxVoiceSettings);

export function parseSettings(settings: unknown): SherpaOnnxVoiceSettings {
  try {
    return validator.parse(settings);
  } catch (cause) {
    throw new ProviderError(SHERPA_ONNX_TTS, 'unavailable', toError(cause).message, { cause });
  }
}
