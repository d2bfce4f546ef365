/** One utterance as known so far. */
export interface Transcript {
  readonly role: 'user' | 'agent';
  readonly medium: 'voice' | 'text';
  readonly text: string;
  /** Whether the text is final. */
  readonly isFinal: boolean;
  /** Position in the conversation, from 0. */
  readonly ordinal: number;
}
