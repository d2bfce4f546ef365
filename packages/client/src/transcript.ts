/** One utterance, as far as it is known. */
export interface Transcript {
  readonly role: 'user' | 'agent';
  readonly medium: 'voice' | 'text';
  readonly text: string;
  /** The text won't change any more. */
  readonly isFinal: boolean;
  /** Place in the conversation, from 0. */
  readonly ordinal: number;
}
