import type { EnvReader } from '@calls/foundation/env-reader';

/** Where the speech providers are, without a path of their API. */
export interface ProviderUrls {
  provider1: string;
  provider2: string;
  provider3: string;
  provider4: string;
  provider5: string;
  provider6: string;
  provider7: string;
}

export function readProviderUrls(env: EnvReader): ProviderUrls {
  const url = (name: string, fallback: string): string => env.url(name, ['http:', 'https:'], fallback);
  return {
    provider1: url('TTS_PROVIDER1_BASE_URL', 'https://api.elevenlabs.io'),
    provider2: url('TTS_PROVIDER2_BASE_URL', 'https://api.cartesia.ai'),
    provider3: url('TTS_PROVIDER3_BASE_URL', 'https://api.lmnt.com'),
    provider4: url('TTS_PROVIDER4_BASE_URL', 'https://texttospeech.googleapis.com'),
    provider5: url('TTS_PROVIDER5_BASE_URL', 'https://api.inworld.ai'),
    provider6: url('TTS_PROVIDER6_BASE_URL', 'https://api.respeecher.com'),
    provider7: url('TTS_PROVIDER7_BASE_URL', 'https://api.play.ht'),
  };
}
