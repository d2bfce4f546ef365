const FULL_SCALE = 32_768;
/** Speech is this much above what the room sounds like, and never below MIN_SPEECH_DB. Relative to full scale. */
const ABOVE_ROOM_DB = 12;
const MIN_SPEECH_DB = -50;
/** A room is assumed to be so quiet at first; digital silence does not count as a quieter one than the second. */
const FIRST_ROOM_DB = -58;
const QUIETEST_ROOM_DB = -70;
/** Per window: the room's level follows what is quieter at once, and what is louder slowly. Speech raises it by 1.5 dB a second. */
const RISE_DB = 0.05;

/**
 * Tells speech from the level of the room by its energy alone: much worse than a model, and a thousand times cheaper. To see
 * every window of one call, in order.
 */
export class EnergyVad {
  #roomDb = FIRST_ROOM_DB;

  /** The probability of speech, as a detector gives it: 0 or 1. */
  probability(window: Int16Array): number {
    const levelDb = levelOf(window);
    const isSpeech = levelDb >= Math.max(MIN_SPEECH_DB, this.#roomDb + ABOVE_ROOM_DB);
    this.#roomDb = Math.max(QUIETEST_ROOM_DB, Math.min(levelDb, this.#roomDb + RISE_DB));
    return isSpeech ? 1 : 0;
  }
}

function levelOf(window: Int16Array): number {
  let sum = 0;
  for (const sample of window) sum += sample * sample;
  return 10 * Math.log10(sum / Math.max(1, window.length) / FULL_SCALE ** 2);
}
