import { levelDbfs, wholeMeanSquare, type WindowLevels } from './window-levels.ts';

/** Level assumed for digital silence. */
const SILENCE_DB = -100;
/** Windows with at least this probability show how loud the user speaks. */
const CERTAIN_PROBABILITY = 0.5;
/** Sound this far below the user's level is not the user's. */
const BELOW_SPEAKER_DB = 8;
/** Consecutive windows without louder sound. Soft syllables and stops within words are shorter. */
const QUIET_WINDOWS = 12;
/**
 * No effect if sound between words is further below the user's level: detectors then notice silence by themselves, and
 * a soft voice may belong to a second user.
 */
const QUIET_ROOM_DB = 30;

/** With a background this close to the user's level, single peaks of it are almost as loud as the user. */
const LOUD_BACKGROUND_DB = 16;
/** In a loud background, the mean power of this many windows, about 1 s, decides. */
const MEAN_WINDOWS = 32;
/** A mean power this far below the user's level belongs to the background. */
const MEAN_BELOW_SPEAKER_DB = 7.5;
/** A window louder than this may be the user starting again. */
const ONSET_BELOW_SPEAKER_DB = 4;

/** Share of the difference by which the speaker's level rises within a window. */
const RISE = 0.2;
/** Fall of the speaker's level per window of the user's speech: 0.3 dB/s. */
const FALL_DB = 0.01;
/**
 * Fall of the speaker's level per window of other speech: after some seconds, the user may have moved away from the
 * microphone.
 */
const FALL_IN_BACKGROUND_DB = 0.02;
/** How the background level follows softer sound (share of the difference) and louder sound (rise per window). */
const BACKGROUND_FALL = 0.1;
const BACKGROUND_RISE_DB = 0.05;
/**
 * The background level is at least that of the softest window in the last 2.5 to 5 s, so that a lasting rise takes
 * effect.
 */
const MINIMUM_WINDOWS = 78;

/**
 * Distinguishes the user from voices, music and noise in the background, which detectors classify as speech. The
 * loudest speech of the call so far shows how loud the user is. No effect in a quiet room. The constants were chosen on
 * the tuning set of tests/bench/turns.
 */
export class SpeakerGate {
  #speakerDb = SILENCE_DB;
  #backgroundDb: number | null = null;
  /** Level of the softest window in the previous block of MINIMUM_WINDOWS, and in the current one. */
  #earlierMinimumDb = -Infinity;
  #minimumDb = Infinity;
  #quietWindows = 0;
  /** Mean squares of the newest windows, in a ring. */
  readonly #meanSquares = new Float64Array(MEAN_WINDOWS).fill(Infinity);
  #windows = 0;

  /** Whether the last window was softer than the user has been, as the voices of people in the background are. */
  get isSoft(): boolean {
    return this.#quietWindows > 0;
  }

  /**
   * Whether the window lacks the user's voice, regardless of its probability. Call for every window, in order.
   * `agentIsAudible`: speech may be an echo of the agent, so it does not change the user's level.
   */
  isBackground(probability: number, levels: WindowLevels, agentIsAudible: boolean): boolean {
    const meanSquare = wholeMeanSquare(levels);
    const levelDb = Math.max(SILENCE_DB, levelDbfs(meanSquare));
    this.#followBackground(levelDb);
    this.#meanSquares[this.#windows % MEAN_WINDOWS] = meanSquare;
    this.#windows += 1;
    this.#quietWindows = levelDb < this.#speakerDb - BELOW_SPEAKER_DB ? this.#quietWindows + 1 : 0;
    const belowSpeakerDb = this.#speakerDb - (this.#backgroundDb ?? 0);
    const isBackground =
      (belowSpeakerDb < QUIET_ROOM_DB && this.#quietWindows >= QUIET_WINDOWS) ||
      (belowSpeakerDb < LOUD_BACKGROUND_DB && this.#isSoftOnAverage(levelDb));
    if (probability >= CERTAIN_PROBABILITY && !agentIsAudible) this.#followSpeaker(levelDb, isBackground);
    return isBackground;
  }

  #isSoftOnAverage(levelDb: number): boolean {
    if (levelDb >= this.#speakerDb - ONSET_BELOW_SPEAKER_DB) return false;
    const meanSquare = this.#meanSquares.reduce((sum, each) => sum + each, 0) / MEAN_WINDOWS;
    return levelDbfs(meanSquare) < this.#speakerDb - MEAN_BELOW_SPEAKER_DB;
  }

  #followBackground(levelDb: number): void {
    if (this.#windows % MINIMUM_WINDOWS === 0 && this.#windows > 0) {
      this.#earlierMinimumDb = this.#minimumDb;
      this.#minimumDb = Infinity;
    }
    this.#minimumDb = Math.min(this.#minimumDb, levelDb);
    const before = this.#backgroundDb ?? levelDb;
    const followed =
      levelDb < before ? before + BACKGROUND_FALL * (levelDb - before) : before + BACKGROUND_RISE_DB;
    this.#backgroundDb = Math.max(followed, Math.min(this.#earlierMinimumDb, this.#minimumDb));
  }

  #followSpeaker(levelDb: number, isBackground: boolean): void {
    const before = this.#speakerDb;
    if (levelDb > before) this.#speakerDb = before + RISE * (levelDb - before);
    else this.#speakerDb = before - (isBackground ? FALL_IN_BACKGROUND_DB : FALL_DB);
  }
}
