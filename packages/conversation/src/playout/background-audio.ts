import type { BackgroundAudioSpec, CallSpec } from '@calls/api-contract/call-spec';
import { toError } from '@calls/foundation/errors';
import type { BackgroundClips } from '../ports/background-clips.ts';
import { BackgroundMixer, type BackgroundMixerOptions } from './background-mixer.ts';

export interface BackgroundAudioOptions extends Omit<BackgroundMixerOptions, 'volume'> {
  spec: BackgroundAudioSpec;
  call: Pick<CallSpec, 'callId' | 'sharedSecrets'>;
  clips: BackgroundClips;
  /** The clip failed to load; the call continues without it. */
  onError: (error: Error) => void;
}

/**
 * Creates the output of a call with background audio; the clip starts as soon as it is loaded. Close it with
 * the call.
 */
export function openBackgroundAudio(options: BackgroundAudioOptions): BackgroundMixer {
  const { spec, call, clips, output, onError } = options;
  const mixer = new BackgroundMixer({ ...options, volume: spec.volume });
  clips.load(spec.audioClip, output.outputFormat.sampleRateHz, call).then(
    (clip) => mixer.play(clip),
    (thrown: unknown) => onError(toError(thrown)),
  );
  return mixer;
}
