import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { settingsValidator, type VoiceSettings } from '../voice-settings.ts';
import { inworld } from './descriptor.ts';

export type InworldSettings = VoiceSettings<typeof inworld>;

export const inworldSettings = settingsValidator(inworld);

export const SAMPLE_RATE_HZ = 24_000;
const DEFAULT_MODEL = 'inworld-tts-1.5-max';
/** Maximum text of one `send_text`. */
const MAX_TEXT_CHARACTERS = 1000;

export function createContext(settings: InworldSettings, languageHint: string | null): object {
  const { applyTextNormalization, deliveryMode } = settings;
  return {
    voiceId: settings.voiceId,
    modelId: settings.modelId ?? DEFAULT_MODEL,
    audioConfig: {
      audioEncoding: 'PCM',
      sampleRateHertz: SAMPLE_RATE_HZ,
      speakingRate: settings.speakingRate,
    },
    temperature: settings.temperature,
    applyTextNormalization:
      applyTextNormalization === undefined ? undefined : onOrOff(applyTextNormalization),
    deliveryMode:
      deliveryMode === 'DELIVERY_MODE_UNSPECIFIED' ? undefined : deliveryMode?.replace('DELIVERY_MODE_', ''),
    pronunciationDictionaryIds: settings.pronunciationDictionaryIds,
    language: languageHint ?? undefined,
    timestampType: 'WORD',
    // Audio is sent without waiting for its timings.
    timestampTransportStrategy: 'ASYNC',
  };
}

function onOrOff(on: boolean): string {
  return on ? 'ON' : 'OFF';
}

/** Splits text into messages of allowed length, between words if possible. */
export function textPieces(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > MAX_TEXT_CHARACTERS) {
    const space = rest.lastIndexOf(' ', MAX_TEXT_CHARACTERS - 1);
    const end = space > 0 ? space + 1 : MAX_TEXT_CHARACTERS;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

const Status = Type.Object({ code: Type.Optional(Type.Integer()), message: Type.Optional(Type.String()) });

const AudioChunk = Type.Object({
  audioContent: Type.Optional(Type.String()),
  timestampInfo: Type.Optional(
    Type.Object({
      wordAlignment: Type.Optional(
        Type.Object({
          words: Type.Array(Type.String()),
          wordStartTimeSeconds: Type.Array(Type.Number()),
          wordEndTimeSeconds: Type.Array(Type.Number()),
        }),
      ),
    }),
  ),
});

/** A message of the provider; other kinds and fields are ignored. */
export const contextMessage = compileValidator(
  'speech message',
  Type.Object({
    result: Type.Optional(
      Type.Object({
        contextId: Type.Optional(Type.String()),
        audioChunk: Type.Optional(AudioChunk),
        contextClosed: Type.Optional(Type.Object({})),
        status: Type.Optional(Status),
      }),
    ),
    error: Type.Optional(Status),
  }),
);
