import { Type, type Static } from 'typebox';
import { Closed, Nullable, OneOf, Uuid } from './common.ts';
import { ExternalVoice } from './external-voice.ts';
import { defineResource, ReadOnly } from './resource.ts';

export const VoiceOwnership = Type.Enum(['private', 'public']);
export const VoiceBillingStyle = Type.Enum(['VOICE_BILLING_STYLE_INCLUDED', 'VOICE_BILLING_STYLE_EXTERNAL']);

const about = {
  voiceId: ReadOnly(Uuid),
  name: Type.String({ minLength: 1, maxLength: 40 }),
  description: Type.Optional(Nullable(Type.String({ maxLength: 240 }))),
  primaryLanguage: Type.Optional(Nullable(Type.String({ maxLength: 10, description: 'A BCP 47 tag.' }))),
  languageLabel: ReadOnly(Nullable(Type.String())),
  previewUrl: ReadOnly(Type.String({ format: 'uri' })),
  ownership: ReadOnly(VoiceOwnership),
  billingStyle: ReadOnly(VoiceBillingStyle),
  /** The key of the definition; null for voices of this installation's own engines. */
  provider: ReadOnly(Nullable(Type.String())),
};

const Shown = defineResource('Voice', {
  ...about,
  /** Empty for voices of this installation's own engines. */
  definition: OneOf(ExternalVoice.properties, 'VoiceDefinition', 0),
});
const Given = defineResource('Voice', { ...about, definition: ExternalVoice });

/** An entry of the catalogue: public for every account, private for the one that added it. */
export const Voice = { Response: Shown.Response, Request: Given.Request, Patch: Given.Patch };
export type Voice = Static<typeof Voice.Response>;

/** What a voice would be cloned from. */
export const VoiceSample = Closed(
  {
    file: Type.String({ format: 'binary', description: 'A recording of the voice, at most 1 MiB.' }),
    name: Type.String({ minLength: 1, maxLength: 40 }),
    description: Type.Optional(Type.String({ maxLength: 240 })),
    language: Type.Optional(Type.String({ maxLength: 10, default: 'en' })),
  },
  'VoiceSample',
);

export const ModelAlias = Closed({ name: Type.String() }, 'ModelAlias');
export type ModelAlias = Static<typeof ModelAlias>;
