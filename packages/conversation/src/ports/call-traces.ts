/** The trace of one call, written while it goes on. */
export interface TraceSink {
  /** One more line, without its end. Never waits and never throws. */
  write(line: string): void;
  /** Resolves when all is stored, or what could be stored. Never rejects. Once only. */
  close(): Promise<void>;
}

/** Where traces of calls are kept. */
export interface CallTraces {
  open(call: { accountId: string; callId: string }): TraceSink;
}
