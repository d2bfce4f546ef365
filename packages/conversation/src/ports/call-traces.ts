import type { CallRef } from './recordings.ts';

/** The trace of one call, written during the call. */
export interface TraceSink {
  /** Appends a line; `line` has no line break. Never blocks and never throws. */
  write(line: string): void;
  /**
   * Stores the trace; resolves when that is done. Errors are not reported here: it never rejects. Call it once.
   */
  close(): Promise<void>;
  /**
   * Alternative to `close`: stores what was written so far, for a later `resume` or `finish`. Never rejects.
   */
  suspend(): Promise<void>;
}

/** Storage for call traces. */
export interface CallTraces {
  open(call: CallRef): TraceSink;
  /** Continues the trace that an earlier session suspended. */
  resume(call: CallRef): TraceSink;
  /** Completes a suspended trace. Never rejects. */
  finish(call: CallRef): Promise<void>;
}
