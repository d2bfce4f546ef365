import { Type, type Static, type TObject, type TOptional, type TPartial, type TSchema } from 'typebox';
import { TTS_VENDORS, type VoiceProvider } from '../vendors/tts-vendors.ts';
import type { SettingsSchema } from '../vendors/tts/tts-vendor.ts';
import { OneOf } from './common.ts';

type Vendors = (typeof TTS_VENDORS)[number];
type SettingsOf<P extends VoiceProvider> = Extract<Vendors, { key: P }>['settings'];

/** A voice that isn't in the catalogue, or the definition of one that is. */
export const ExternalVoice = OneOf(
  Object.fromEntries(TTS_VENDORS.map(({ key, settings }) => [key, Type.Optional(settings)])) as {
    [P in VoiceProvider]: TOptional<SettingsOf<P>>;
  },
  'ExternalVoice',
);
export type ExternalVoice = Static<typeof ExternalVoice>;

/** Fields of a catalogue voice that a call changes: any of them, each with a valid value. */
export const VoiceOverrides = OneOf(
  Object.fromEntries(TTS_VENDORS.map(({ key, settings }) => [key, Type.Optional(overrides(settings))])) as {
    [P in VoiceProvider]: TOptional<TPartial<SettingsOf<P>>>;
  },
  'VoiceOverrides',
);
export type VoiceOverrides = Static<typeof VoiceOverrides>;

function overrides(settings: SettingsSchema): TSchema {
  const { title = '' } = settings as { title?: string };
  return Type.Partial(settings as TObject, { title: `${title}Overrides`, additionalProperties: false });
}
