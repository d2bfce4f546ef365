/** Who speaks. Sets are split by speaker: no voice is in both. */
export interface Speaker {
  /** Unique and stable: part of the ids of cases. */
  id: string;
  /** The person, who may speak several languages. */
  person: string;
  /** BCP 47 primary language. */
  language: string;
  set: TurnSet;
  /**
   * How far below the level of the speech its end is, in decibels: above the speaker's noise, and above the
   * reverberation of the room.
   */
  floorDb: number;
}

/** Settings of detectors are chosen on the tuning set only; published figures are of the held-out set. */
export type TurnSet = 'tuning' | 'held-out';

/** A recording of a person in a Debian package. */
export interface Recording {
  /** Unique among the speaker's recordings. */
  name: string;
  speaker: Speaker;
  /** Transcript with punctuation. */
  text: string;
  path: string;
}
