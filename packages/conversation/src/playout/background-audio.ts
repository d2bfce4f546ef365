import type { BackgroundAudioSpec, CallSpec } from '@calls/api-contract/call-spec';
import { toError } from '@calls/foundation/errors';
import type { BackgroundClips } from '../ports/background-clips.ts';
import { BackgroundMixer, type BackgroundMixerOptions } from './background-mixer.ts';

export interface BackgroundAudioOptions extends Omit<BackgroundMixerOptions, 'volume'> {
  spec: BackgroundAudioSpec;
  call: Pick<CallSpec, 'callId' | 'sharedSecrets'>;
  clips: BackgroundClips;
  /** There is no clip: the call goes on without. */
  onFault: (fault: Error) => void;
}

/** The output of a call that has a background: begins to play it as soon as it is loaded. Close it with the call. */
export function openBackgroundAudio(options: BackgroundAudioOptions): BackgroundMixer {
  const { spec, call, clips, output, onFault } = options;
  const mixer = new BackgroundMixer({ ...options, volume: spec.volume });
  clips.load(spec.audioClip, output.outputFormat.sampleRateHz, call).then(
    (clip) => mixer.play(clip),
    (thrown: unknown) => onFault(toError(thrown)),
  );
  return mixer;
}
