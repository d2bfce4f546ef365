import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import { cartesia } from './cartesia/descriptor.ts';
import type { CloningProtocol } from './cloning-protocol.ts';
import { elevenLabs } from './elevenlabs/descriptor.ts';
import { googleCloud } from './google-cloud/descriptor.ts';
import type { ProviderTextToSpeechOptions } from './http-text-to-speech.ts';
import { inworld } from './inworld/descriptor.ts';
import { lmnt } from './lmnt/descriptor.ts';
import { ownEndpoint } from './own-endpoint/descriptor.ts';
import { playHt } from './playht/descriptor.ts';
import { respeecher } from './respeecher/descriptor.ts';
import type { TtsVendor } from './tts-vendor.ts';

export interface TtsAdapterOptions extends ProviderTextToSpeechOptions {
  /** HTTP client for customers' addresses. */
  outbound: OutboundHttp;
}

/** Creates a vendor's engine. It is disposed with the others if it is disposable. */
export type TtsAdapter = (options: TtsAdapterOptions) => TextToSpeech & Partial<AsyncDisposable>;

/** A vendor in the list: its descriptor, and its adapter, which is loaded when its voices are first used. */
interface ListedTtsVendor extends TtsVendor {
  readonly adapter: () => Promise<TtsAdapter>;
  /** How it creates a voice from a recording; absent if it does not. */
  readonly cloning?: () => Promise<CloningProtocol>;
}

/** Every text-to-speech vendor with supported voices, in display order. */
export const TTS_VENDORS = [
  {
    ...elevenLabs,
    adapter: async () => (await import('./elevenlabs/adapter.ts')).createElevenLabsTextToSpeech,
    cloning: async () => (await import('./elevenlabs/cloning.ts')).elevenLabsCloning,
  },
  {
    ...cartesia,
    adapter: async () => (await import('./cartesia/adapter.ts')).createCartesiaTextToSpeech,
    cloning: async () => (await import('./cartesia/cloning.ts')).cartesiaCloning,
  },
  {
    ...lmnt,
    adapter: async () => (await import('./lmnt/adapter.ts')).createLmntTextToSpeech,
  },
  {
    ...googleCloud,
    adapter: async () => (await import('./google-cloud/adapter.ts')).createGoogleCloudTextToSpeech,
  },
  {
    ...inworld,
    adapter: async () => (await import('./inworld/adapter.ts')).createInworldTextToSpeech,
  },
  {
    ...respeecher,
    adapter: async () => (await import('./respeecher/adapter.ts')).createRespeecherTextToSpeech,
  },
  {
    ...playHt,
    adapter: async () => (await import('./playht/adapter.ts')).createPlayHtTextToSpeech,
  },
  {
    ...ownEndpoint,
    adapter: async () => (await import('./own-endpoint/adapter.ts')).createOwnEndpointTextToSpeech,
  },
] as const satisfies readonly ListedTtsVendor[];

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

type CloningVendor = Extract<Vendor, { cloning: unknown }>;
/** Wire keys of the vendors that clone voices. */
export type CloningProvider = CloningVendor['key'];

/** The text-to-speech vendors that create a voice from a recording, in display order. */
export const CLONING_TTS_VENDORS = TTS_VENDORS.filter(
  (vendor): vendor is CloningVendor => 'cloning' in vendor,
);
