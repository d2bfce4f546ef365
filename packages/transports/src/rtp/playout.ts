/** What comes next in the audio, in order; together without gap or overlap. */
export type Playout =
  | { type: 'decode'; payload: Uint8Array; durationMs: number }
  /** What was lost, from what `payload`, which comes next, says about it. */
  | { type: 'recover'; payload: Uint8Array; durationMs: number }
  /** Lost, and short enough to be made up. */
  | { type: 'conceal'; durationMs: number }
  /** Silence: the sender left it out, or more was lost than can be made up. */
  | { type: 'gap'; durationMs: number };

/** More than this of lost audio isn't made up: concealment has faded out by then. */
export const MAX_CONCEALED_MS = 120;

export interface Absence {
  /** From the end of the last packet to the beginning of the next. */
  durationMs: number;
  /** How many packets in it were lost; the rest of the time the sender was silent. */
  lostPackets: number;
  /** The length of one. */
  packetMs: number;
  next: Uint8Array;
  nextCarriesPrevious: boolean;
}

/** What to put into an absence. Its silence is taken as the middle of it, as recovery is of what is right before `next`. */
export function fillAbsence(absence: Absence): Playout[] {
  const { durationMs, lostPackets, packetMs, next } = absence;
  const lostMs = Math.min(durationMs, lostPackets * packetMs, MAX_CONCEALED_MS);
  const recoveredMs = absence.nextCarriesPrevious ? Math.min(packetMs, lostMs) : 0;
  const filled: Playout[] = [];
  if (lostMs > recoveredMs) filled.push({ type: 'conceal', durationMs: lostMs - recoveredMs });
  if (durationMs > lostMs) filled.push({ type: 'gap', durationMs: durationMs - lostMs });
  if (recoveredMs > 0) filled.push({ type: 'recover', payload: next, durationMs: recoveredMs });
  return filled;
}
