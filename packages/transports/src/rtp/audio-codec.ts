/** What a stream's payloads tell without decoding them. */
export interface RtpAudioCodec {
  /** Of its timestamps. */
  readonly clockRateHz: number;
  /** How long the audio in `payload` is, in timestamp units; null where it can't be read. */
  durationOf(payload: Uint8Array): number | null;
  /** Whether `payload` also holds the audio right before it, in case that was lost. */
  carriesPrevious(payload: Uint8Array): boolean;
}
