/** Where the sounds come from that play behind agents' voices. */
export interface BackgroundClips {
  /**
   * The clip at a rate, to be played over and over: its end goes on at its beginning. Shared by calls, so not to be changed.
   * Rejects with an AppError in words for the call's owner.
   */
  load(audioClip: string, sampleRateHz: number): Promise<Int16Array>;
}
