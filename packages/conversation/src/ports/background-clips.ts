import type { CallSpec } from '@calls/api-contract/call-spec';

/** Loads the audio clips that play behind agents' voices. */
export interface BackgroundClips {
  /**
   * Returns the clip at `sampleRateHz`, for looped playback. Calls share the array, so callers must not change
   * it. The request is signed with the call's shared secrets. Rejects with an AppError whose message is shown
   * to the owner of the call.
   */
  load(
    audioClip: string,
    sampleRateHz: number,
    call: Pick<CallSpec, 'callId' | 'sharedSecrets'>,
  ): Promise<Int16Array>;
}
