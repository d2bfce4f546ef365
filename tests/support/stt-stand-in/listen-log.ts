/** One connection of the client's. */
export interface SeenStream {
  /** The last value of each parameter. */
  query: Readonly<Record<string, string>>;
  keyTerms: string[];
  keywords: string[];
  authorization: string | null;
  /** Control messages in their order, keep-alives included. */
  controls: string[];
  audioMs: number;
  largestMessageBytes: number;
  isOpen: boolean;
  /** By which the client closed it; null: it did not. */
  closeCode: number | null;
}

export interface ListenReport {
  streams: SeenStream[];
  refused: number;
}
