import { Type, type Static } from 'typebox';
import { Closed, Nullable, Uuid } from './common.ts';

/** A catalogue entry. Voices of the embedded engines have `provider` null and an empty `definition`. */
export const Voice = Closed(
  {
    voiceId: Uuid,
    name: Type.String({ maxLength: 40 }),
    description: Nullable(Type.String({ maxLength: 240 })),
    primaryLanguage: Nullable(Type.String({ maxLength: 10 })),
    languageLabel: Nullable(Type.String()),
    previewUrl: Nullable(Type.String()),
    ownership: Type.Enum(['public', 'private']),
    billingStyle: Type.Enum(['VOICE_BILLING_STYLE_INCLUDED', 'VOICE_BILLING_STYLE_EXTERNAL']),
    provider: Nullable(Type.String()),
    definition: Type.Object({}),
  },
  'Voice',
);
export type Voice = Static<typeof Voice>;

export const ModelAlias = Closed({ name: Type.String() }, 'ModelAlias');
export type ModelAlias = Static<typeof ModelAlias>;
