import type { CallSpec } from '@calls/api-contract/call-spec';

/** Where the sounds come from that play behind agents' voices. */
export interface BackgroundClips {
  /**
   * The clip at a rate, to be played over and over: its end goes on at its beginning. Shared by calls, so not to be changed.
   * A request for it is signed by the shared secrets of the call. Rejects with an AppError in words for the call's owner.
   */
  load(
    audioClip: string,
    sampleRateHz: number,
    call: Pick<CallSpec, 'callId' | 'sharedSecrets'>,
  ): Promise<Int16Array>;
}
