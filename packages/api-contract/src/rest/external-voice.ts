import { described } from '@calls/foundation/schema/annotations';
import { OneOf } from '@calls/foundation/schema/objects';
import type { SettingsSchema } from '@calls/providers/tts/tts-vendor';
import { TTS_VENDORS, type VoiceProvider } from '@calls/providers/tts/tts-vendors';
import { Type, type Static, type TObject, type TOptional, type TPartial, type TSchema } from 'typebox';

type Vendors = (typeof TTS_VENDORS)[number];
type SettingsOf<P extends VoiceProvider> = Extract<Vendors, { key: P }>['settings'];

/** A voice that is not in the catalogue, or the definition of a catalogue voice. */
export const ExternalVoice = OneOf(
  Object.fromEntries(
    TTS_VENDORS.map(({ key, settings }) => [key, described(Type.Optional(settings), `Voice of ${key}.`)]),
  ) as {
    [P in VoiceProvider]: TOptional<SettingsOf<P>>;
  },
  'ExternalVoice',
  1,
  'A voice that is not in the catalogue. Exactly one field is set.',
);
export type ExternalVoice = Static<typeof ExternalVoice>;

/** Fields of a catalogue voice that a call overrides, each with a valid value. */
export const VoiceOverrides = OneOf(
  Object.fromEntries(
    TTS_VENDORS.map(({ key, settings }) => [
      key,
      described(Type.Optional(overrides(settings)), `Changes to a voice of ${key}.`),
    ]),
  ) as {
    [P in VoiceProvider]: TOptional<TPartial<SettingsOf<P>>>;
  },
  'VoiceOverrides',
  1,
  'Settings of a catalogue voice that a call changes. The key is the provider of the voice.',
);
export type VoiceOverrides = Static<typeof VoiceOverrides>;

function overrides(settings: SettingsSchema): TSchema {
  const { title = '' } = settings as { title?: string };
  return Type.Partial(settings as TObject, { title: `${title}Overrides`, additionalProperties: false });
}
