/** Information about payloads that does not require decoding. */
export interface RtpAudioCodec {
  /** Clock rate of the timestamps. */
  readonly clockRateHz: number;
  /** Duration of the audio in `payload`, in timestamp units; null if it is malformed. */
  durationOf(payload: Uint8Array): number | null;
  /** Whether `payload` also contains the preceding audio, for the case that it was lost. */
  carriesPrevious(payload: Uint8Array): boolean;
}
