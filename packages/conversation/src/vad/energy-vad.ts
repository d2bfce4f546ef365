import { wholeLevelDbfs, type WindowLevels } from './window-levels.ts';

/** Speech exceeds the noise floor by this much, and MIN_SPEECH_DB. Relative to full scale. */
const ABOVE_NOISE_DB = 12;
const MIN_SPEECH_DB = -50;
/** Initial noise floor and its lower bound. Digital silence does not lower the floor further. */
const INITIAL_NOISE_DB = -58;
const MIN_NOISE_DB = -70;
/**
 * Rise of the noise floor per window. It follows quieter audio immediately and louder audio slowly; speech raises
 * it by 1.5 dB per second.
 */
const RISE_DB = 0.05;

/**
 * Detects speech by its energy above an adaptive noise floor: much less accurate than a model, and a thousand
 * times cheaper. Needs every window of one call, in order.
 */
export class EnergyVad {
  #noiseFloorDb = INITIAL_NOISE_DB;

  /** Returns 1 for speech, else 0. */
  probability(levels: WindowLevels): number {
    const levelDb = wholeLevelDbfs(levels);
    const isSpeech = levelDb >= Math.max(MIN_SPEECH_DB, this.#noiseFloorDb + ABOVE_NOISE_DB);
    this.#noiseFloorDb = Math.max(MIN_NOISE_DB, Math.min(levelDb, this.#noiseFloorDb + RISE_DB));
    return isSpeech ? 1 : 0;
  }
}
