import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { Closed, JsonObject, OneOf } from './common.ts';
import { Secret } from './resource.ts';

/** Which voice speaks: required by every provider's API. Models have defaults. */
const VoiceId = Type.String({ minLength: 1, maxLength: 256 });
const Id = Type.Optional(Type.String({ maxLength: 256 }));
const Name = Type.Optional(Type.String({ maxLength: 128 }));
const Num = Type.Optional(Type.Number());
const Int = Type.Optional(Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647 }));
const Flag = Type.Optional(Type.Boolean());
const Names = Type.Optional(Type.Array(Type.String({ maxLength: 128 }), { maxItems: 32 }));

export const Provider1Voice = Closed(
  {
    voiceId: VoiceId,
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
    voiceId: VoiceId,
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
  { voiceId: VoiceId, model: Name, speed: Num, conversational: Flag },
  'Provider3Voice',
);

export const Provider4Voice = Closed({ voiceId: VoiceId, speakingRate: Num }, 'Provider4Voice');

export const Provider5Voice = Closed(
  {
    voiceId: VoiceId,
    modelId: Name,
    speakingRate: Num,
    temperature: Num,
    applyTextNormalization: Flag,
    deliveryMode: Type.Optional(
      Type.Enum([
        'DELIVERY_MODE_UNSPECIFIED',
        'DELIVERY_MODE_STABLE',
        'DELIVERY_MODE_BALANCED',
        'DELIVERY_MODE_CREATIVE',
        // As the provider's API says them.
        'STABLE',
        'BALANCED',
        'CREATIVE',
      ]),
    ),
    pronunciationDictionaryIds: Names,
  },
  'Provider5Voice',
);

export const Provider6Voice = Closed(
  {
    voiceId: VoiceId,
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
    /** The provider's API requires it with the key. */
    userId: Type.String({ minLength: 1, maxLength: 256 }),
    voiceId: VoiceId,
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
    url: Type.String({ format: 'uri', maxLength: 2048 }),
    headers: Secret(
      Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 4096 }), { maxProperties: 50 })),
      ['url'],
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

/** A voice that isn't in the catalogue, or the definition of one that is. */
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

/** Fields of a catalogue voice that a call changes: any of them, each with a valid value. */
export const VoiceOverrides = OneOf(
  {
    provider1: Type.Optional(Some(Provider1Voice)),
    provider2: Type.Optional(Some(Provider2Voice)),
    provider3: Type.Optional(Some(Provider3Voice)),
    provider4: Type.Optional(Some(Provider4Voice)),
    provider5: Type.Optional(Some(Provider5Voice)),
    provider6: Type.Optional(Some(Provider6Voice)),
    provider7: Type.Optional(Some(Provider7Voice)),
    generic: Type.Optional(Some(GenericVoice)),
  },
  'VoiceOverrides',
);
export type VoiceOverrides = Static<typeof VoiceOverrides>;

function Some<P extends Record<string, TSchema>>(voice: TObject<P>) {
  const { title = '' } = voice as { title?: string };
  return Type.Partial(voice, { title: `${title}Overrides`, additionalProperties: false });
}

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
