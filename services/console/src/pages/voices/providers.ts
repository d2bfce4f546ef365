import type { Schemas } from '../../api/client.ts';

/** The key of a voice's definition. */
export type VoiceProvider = keyof Schemas['ExternalVoice'];

/** What each speaks is named by whose API it is. */
const LABELS: Record<VoiceProvider, string> = {
  provider1: 'ElevenLabs',
  provider2: 'Cartesia',
  provider3: 'LMNT',
  provider4: 'Google Cloud',
  provider5: 'Inworld',
  provider6: 'Respeecher',
  provider7: 'PlayHT',
  generic: 'Own endpoint',
};

export const VOICE_PROVIDERS = Object.keys(LABELS) as readonly VoiceProvider[];

export const providerOptions = VOICE_PROVIDERS.map((value) => ({ value, label: LABELS[value] }));

export function isVoiceProvider(name: string): name is VoiceProvider {
  return name in LABELS;
}

/** `null`: the voices of this installation's own engine. */
export function providerLabel(provider: string | null): string {
  if (provider === null) return 'Built in';
  return isVoiceProvider(provider) ? LABELS[provider] : provider;
}
