import { cartesia } from './tts/cartesia.ts';
import { elevenLabs } from './tts/elevenlabs.ts';
import { googleCloud } from './tts/google-cloud.ts';
import { inworld } from './tts/inworld.ts';
import { lmnt } from './tts/lmnt.ts';
import { ownEndpoint } from './tts/own-endpoint.ts';
import { playHt } from './tts/playht.ts';
import { respeecher } from './tts/respeecher.ts';
import type { TtsVendor } from './tts/tts-vendor.ts';

/** Every text-to-speech vendor with supported voices, in display order. */
export const TTS_VENDORS = [
  elevenLabs,
  cartesia,
  lmnt,
  googleCloud,
  inworld,
  respeecher,
  playHt,
  ownEndpoint,
] as const satisfies readonly TtsVendor[];

type Vendor = (typeof TTS_VENDORS)[number];
/** Wire keys of all vendors. */
export type VoiceProvider = Vendor['key'];
/** Wire keys of the vendors for which accounts store a key. */
export type KeyedProvider = Exclude<Vendor, { credential: null }>['key'];

export const VOICE_PROVIDERS = TTS_VENDORS.map(({ key }) => key);

export function ttsVendor(key: string): TtsVendor | undefined {
  return TTS_VENDORS.find((vendor) => vendor.key === key);
}

export function isKeyedProvider(key: string): key is KeyedProvider {
  return (ttsVendor(key)?.credential ?? null) !== null;
}

/** The text-to-speech vendors for which accounts store a key. */
export const KEYED_TTS_VENDORS = TTS_VENDORS.filter(
  (vendor): vendor is Exclude<Vendor, { credential: null }> => vendor.credential !== null,
);
