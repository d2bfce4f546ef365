import type { CallRef } from './recordings.ts';

/** The trace of one call, written while it goes on. */
export interface TraceSink {
  /** One more line, without its end. Never waits and never throws. */
  write(line: string): void;
  /** Resolves when all is stored, or what could be stored. Never rejects. Once only. */
  close(): Promise<void>;
  /** In place of `close`: resolves when all is stored, or what could be, and leaves it to `resume` or `finish`. Never rejects. */
  suspend(): Promise<void>;
}

/** Where traces of calls are kept. */
export interface CallTraces {
  open(call: CallRef): TraceSink;
  /** As `open`, behind what was left of the call's trace. */
  resume(call: CallRef): TraceSink;
  /** Makes what was left the whole trace. Never rejects. */
  finish(call: CallRef): Promise<void>;
}
