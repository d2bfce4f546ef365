import { Type, type Static } from 'typebox';
import { Closed, JsonObject, OneOf } from './common.ts';

const Id = Type.Optional(Type.String({ maxLength: 256 }));
const Name = Type.Optional(Type.String({ maxLength: 128 }));
const Num = Type.Optional(Type.Number());
const Int = Type.Optional(Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647 }));
const Flag = Type.Optional(Type.Boolean());
const Names = Type.Optional(Type.Array(Type.String({ maxLength: 128 }), { maxItems: 32 }));

export const Provider1Voice = Closed(
  {
    voiceId: Id,
    model: Name,
    speed: Num,
    useSpeakerBoost: Flag,
    style: Num,
    similarityBoost: Num,
    stability: Num,
    pronunciationDictionaries: Type.Optional(
      Type.Array(Closed({ dictionaryId: Id, versionId: Id }, 'PronunciationDictionaryReference'), {
        maxItems: 32,
      }),
    ),
    optimizeStreamingLatency: Int,
    maxSampleRate: Int,
    enableSsmlParsing: Flag,
  },
  'Provider1Voice',
);

export const Provider2Voice = Closed(
  {
    voiceId: Id,
    model: Name,
    speed: Num,
    emotion: Name,
    emotions: Names,
    generationConfig: Type.Optional(
      Closed(
        { volume: Num, speed: Num, emotion: Name, pronunciationDictId: Id },
        'Provider2GenerationConfig',
      ),
    ),
  },
  'Provider2Voice',
);

export const Provider3Voice = Closed(
  { voiceId: Id, model: Name, speed: Num, conversational: Flag },
  'Provider3Voice',
);

export const Provider4Voice = Closed({ voiceId: Id, speakingRate: Num }, 'Provider4Voice');

export const Provider5Voice = Closed(
  {
    voiceId: Id,
    modelId: Name,
    speakingRate: Num,
    temperature: Num,
    applyTextNormalization: Flag,
    deliveryMode: Name,
    pronunciationDictionaryIds: Names,
  },
  'Provider5Voice',
);

export const Provider6Voice = Closed(
  {
    voiceId: Id,
    model: Name,
    seed: Int,
    temperature: Num,
    topK: Int,
    topP: Num,
    minP: Num,
    presencePenalty: Num,
    repetitionPenalty: Num,
    frequencyPenalty: Num,
  },
  'Provider6Voice',
);

export const Provider7Voice = Closed(
  {
    userId: Id,
    voiceId: Id,
    model: Name,
    speed: Num,
    quality: Name,
    temperature: Num,
    emotion: Name,
    voiceGuidance: Num,
    styleGuidance: Num,
    textGuidance: Num,
    voiceConditioningSeconds: Num,
  },
  'Provider7Voice',
);

export const GenericVoice = Closed(
  {
    url: Type.Optional(Type.String({ format: 'uri', maxLength: 2048 })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 4096 }), { maxProperties: 50 }),
    ),
    body: Type.Optional(JsonObject),
    responseSampleRate: Type.Optional(Type.Integer({ minimum: 8000, maximum: 48_000 })),
    responseWordsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    responseMimeType: Name,
    jsonAudioFieldPath: Type.Optional(Type.String({ maxLength: 256 })),
    jsonByteEncoding: Type.Optional(
      Type.Enum(['JSON_BYTE_ENCODING_UNSPECIFIED', 'JSON_BYTE_ENCODING_BASE64', 'JSON_BYTE_ENCODING_HEX']),
    ),
  },
  'GenericVoice',
);

/** A voice that isn't in the catalogue, overrides of one that is, or what a catalogue voice is made of. */
export const ExternalVoice = OneOf(
  {
    provider1: Type.Optional(Provider1Voice),
    provider2: Type.Optional(Provider2Voice),
    provider3: Type.Optional(Provider3Voice),
    provider4: Type.Optional(Provider4Voice),
    provider5: Type.Optional(Provider5Voice),
    provider6: Type.Optional(Provider6Voice),
    provider7: Type.Optional(Provider7Voice),
    generic: Type.Optional(GenericVoice),
  },
  'ExternalVoice',
);
export type ExternalVoice = Static<typeof ExternalVoice>;

export const VOICE_PROVIDERS = [
  'provider1',
  'provider2',
  'provider3',
  'provider4',
  'provider5',
  'provider6',
  'provider7',
  'generic',
] as const;
export type VoiceProvider = (typeof VOICE_PROVIDERS)[number];
