import { described, ReadOnly } from '@calls/foundation/schema/annotations';
import { Closed, Nullable, OneOf, Uuid } from '@calls/foundation/schema/objects';
import { CLONING_TTS_VENDORS } from '@calls/providers/tts/tts-vendors';
import { Type, type Static } from 'typebox';
import { ExternalVoice } from './external-voice.ts';
import { defineResource } from './resource.ts';

export const VoiceOwnership = Type.Enum(['private', 'public'], {
  description: '`private`: belongs to this account; `public`: available to all accounts.',
});
export const VoiceBillingStyle = Type.Enum(['VOICE_BILLING_STYLE_INCLUDED', 'VOICE_BILLING_STYLE_EXTERNAL'], {
  description: '`…INCLUDED`: no charge besides the call; `…EXTERNAL`: billed by the provider.',
});

const about = {
  voiceId: ReadOnly(described(Uuid, 'Id of the voice.')),
  name: Type.String({ minLength: 1, maxLength: 40, description: 'Name of the voice.' }),
  description: Type.Optional(
    Nullable(Type.String({ maxLength: 240 }), 'What the voice sounds like; null without a description.'),
  ),
  primaryLanguage: Type.Optional(
    Nullable(Type.String({ maxLength: 10 }), 'Language as a BCP 47 tag; null when it is unknown.'),
  ),
  languageLabel: ReadOnly(
    Nullable(Type.String(), 'Name of the language, in English; null when it is unknown.'),
  ),
  previewUrl: ReadOnly(
    Type.String({ format: 'uri', description: 'URL of a short sentence spoken by the voice.' }),
  ),
  ownership: ReadOnly(VoiceOwnership),
  billingStyle: ReadOnly(VoiceBillingStyle),
  provider: ReadOnly(Nullable(Type.String(), 'Provider of the voice; null for local engines.')),
};

const Shown = defineResource('Voice', {
  ...about,
  definition: OneOf(
    ExternalVoice.properties,
    'VoiceDefinition',
    0,
    'Settings of the voice, under the key of its provider; empty for local engines.',
  ),
});
const Given = defineResource('Voice', {
  ...about,
  definition: described(ExternalVoice, 'Settings of the voice, under the key of its provider.'),
});

/** An entry of the catalogue: public for every account, private for the one that added it. */
export const Voice = { Response: Shown.Response, Request: Given.Request, Patch: Given.Patch };
export type Voice = Static<typeof Voice.Response>;

export const VoiceSample = Closed(
  {
    file: Type.String({
      format: 'binary',
      description:
        'A recording of the voice: WAV, MP3, FLAC, Ogg, WebM or M4A, with the rest of the form at most 10 MiB.',
    }),
    name: Type.String({ minLength: 1, maxLength: 40, description: 'Name of the voice.' }),
    description: Type.Optional(Type.String({ maxLength: 240, description: 'What the voice sounds like.' })),
    language: Type.Optional(
      Type.String({
        maxLength: 10,
        default: 'en',
        description: 'Language of the recording, as a BCP 47 tag.',
      }),
    ),
    provider: Type.Optional(
      Type.Enum(
        CLONING_TTS_VENDORS.map(({ key }) => key),
        {
          description:
            'Provider that clones the voice; by default the first for which the account has a key.',
        },
      ),
    ),
  },
  'VoiceSample',
  'A recording to clone a voice from.',
);

export const ModelAlias = Closed(
  {
    name: Type.String({ description: 'Value for `model` of a call.' }),
    displayName: Type.String({ description: 'Display name of the model that serves these calls.' }),
  },
  'ModelAlias',
  'A language model.',
);
export type ModelAlias = Static<typeof ModelAlias>;
