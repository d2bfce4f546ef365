/** A speaker. Sets are split by speaker, so that no person is in both. */
export interface Speaker {
  /** Unique and stable: part of the ids of cases. */
  id: string;
  /** The person, who may speak several languages. */
  person: string;
  /** BCP 47 primary language. */
  language: string;
  set: TurnSet;
  /**
   * Difference in decibels between the level of the speech and the level at which speech ends. The latter is above the
   * noise of the recording and the reverberation of the room.
   */
  floorDb: number;
}

/** Settings of detectors are chosen on the tuning set only. Published figures are those of the held-out set. */
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
