/** A connection of the client. */
export interface SeenStream {
  /** The last value of each query parameter. */
  query: Readonly<Record<string, string>>;
  keyTerms: string[];
  keywords: string[];
  authorization: string | null;
  /** Types of control messages in order, including keepalives. */
  controls: string[];
  audioMs: number;
  largestMessageBytes: number;
  isOpen: boolean;
  /** Close code of the client; null if the client did not close it. */
  closeCode: number | null;
}

export interface ListenReport {
  streams: SeenStream[];
  refused: number;
}
