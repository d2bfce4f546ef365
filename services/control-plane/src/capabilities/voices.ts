import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { createVoices } from '@calls/providers/registry';
import type { CloneVoice } from '@calls/providers/tts/voice-cloning';
import type { ControlPlaneConfig } from '../config.ts';
import { StoredPreviews } from '../voices/stored-previews.ts';
import { VoicePreviews } from '../voices/voice-previews.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Outgoing } from './outgoing.ts';

export interface Voices {
  voicePreviews: VoicePreviews;
  storedPreviews: StoredPreviews;
  cloneVoice: CloneVoice;
}

/** Generates previews of voices, and clones voices. */
export function startVoices(
  config: Pick<ControlPlaneConfig, 'providers'>,
  deps: Pick<Infrastructure, 'storage' | 'clock' | 'log'> & Pick<Outgoing, 'outbound'>,
): Promise<Capability<Voices>> {
  const { storage, outbound, clock, log } = deps;
  return startCapability(log, (components) => {
    const voices = components.own('voices', createVoices(config.providers, { clock, log, outbound }));
    const voicePreviews = new VoicePreviews({ textToSpeech: voices.textToSpeech, clock });
    const storedPreviews = new StoredPreviews({ storage, previews: voicePreviews, log });
    return { voicePreviews, storedPreviews, cloneVoice: voices.cloneVoice };
  });
}
