import type { VoiceProvider } from '@calls/api-contract/vendors/tts-vendors';
import type { TextToSpeech } from '@calls/conversation/ports/text-to-speech';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import { createCartesiaTextToSpeech } from './cartesia/adapter.ts';
import { createElevenLabsTextToSpeech } from './elevenlabs/adapter.ts';
import { createGoogleCloudTextToSpeech } from './google-cloud/adapter.ts';
import type { ProviderTextToSpeechOptions } from './http-text-to-speech.ts';
import { createInworldTextToSpeech } from './inworld/adapter.ts';
import { createLmntTextToSpeech } from './lmnt/adapter.ts';
import { createOwnEndpointTextToSpeech } from './own-endpoint/adapter.ts';
import { createPlayHtTextToSpeech } from './playht/adapter.ts';
import { createRespeecherTextToSpeech } from './respeecher/adapter.ts';

export interface TtsAdapterOptions extends ProviderTextToSpeechOptions {
  /** HTTP client for customers' addresses. */
  outbound: OutboundHttp;
}

/** Creates a vendor's engine. It is disposed with the others if it is disposable. */
export type TtsAdapter = (options: TtsAdapterOptions) => TextToSpeech & Partial<AsyncDisposable>;

/** The adapter of every vendor in TTS_VENDORS. */
export const TTS_ADAPTERS: Readonly<Record<VoiceProvider, TtsAdapter>> = {
  provider1: createElevenLabsTextToSpeech,
  provider2: createCartesiaTextToSpeech,
  provider3: createLmntTextToSpeech,
  provider4: createGoogleCloudTextToSpeech,
  provider5: createInworldTextToSpeech,
  provider6: createRespeecherTextToSpeech,
  provider7: createPlayHtTextToSpeech,
  generic: createOwnEndpointTextToSpeech,
};
