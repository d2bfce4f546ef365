/** The next part of the audio. Consecutive parts have no gap and no overlap. */
export type Playout =
  | { type: 'decode'; payload: Uint8Array; durationMs: number }
  /** Lost audio to recover from `payload`, which plays next. */
  | { type: 'recover'; payload: Uint8Array; durationMs: number }
  /** Lost audio that is short enough to be concealed. */
  | { type: 'conceal'; durationMs: number }
  /** Silence: the sender omitted it, or more was lost than can be concealed. */
  | { type: 'gap'; durationMs: number };

/** Maximum length of concealed audio. Concealment has faded out after it. */
export const MAX_CONCEALED_MS = 120;

export interface PacketGap {
  /** Time from the end of the last packet to the start of the next. */
  durationMs: number;
  /** Number of lost packets in it. The sender was silent in the rest of the time. */
  lostPackets: number;
  /** Duration of one packet. */
  packetMs: number;
  next: Uint8Array;
  nextCarriesPrevious: boolean;
}

/**
 * How to fill a gap between two packets: concealment, then silence, then recovery from `next`, which contains the audio
 * right before it.
 */
export function fillGap(absence: PacketGap): Playout[] {
  const { durationMs, lostPackets, packetMs, next } = absence;
  const lostMs = Math.min(durationMs, lostPackets * packetMs, MAX_CONCEALED_MS);
  const recoveredMs = absence.nextCarriesPrevious ? Math.min(packetMs, lostMs) : 0;
  const filled: Playout[] = [];
  if (lostMs > recoveredMs) filled.push({ type: 'conceal', durationMs: lostMs - recoveredMs });
  if (durationMs > lostMs) filled.push({ type: 'gap', durationMs: durationMs - lostMs });
  if (recoveredMs > 0) filled.push({ type: 'recover', payload: next, durationMs: recoveredMs });
  return filled;
}

/** Information about payloads that does not require decoding. */
export interface RtpAudioCodec {
  /** Clock rate of the timestamps. */
  readonly clockRateHz: number;
  /** Duration of the audio in `payload`, in timestamp units; null if it is malformed. */
  durationOf(payload: Uint8Array): number | null;
  /** Whether `payload` also contains the preceding audio, in case it was lost. */
  carriesPrevious(payload: Uint8Array): boolean;
}
