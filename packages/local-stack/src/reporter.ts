import { AppError } from '@calls/foundation/errors';

/** Where the stack says what happens, in words for a person at a terminal. */
export interface Reporter {
  /** A part is up, `tookMs` after its start. */
  ready(part: string, tookMs: number, detail: string): void;
  /** Something that person should know about a part. One line. */
  notice(part: string, text: string): void;
}

export const silentReporter: Reporter = { ready: () => undefined, notice: () => undefined };

/** One line per event, in columns. */
export function createTerminalReporter(print: (line: string) => void): Reporter {
  return {
    ready: (part, tookMs, detail) =>
      print(`  ${part.padEnd(18)}ready  ${seconds(tookMs)}  ${detail}`.trimEnd()),
    notice: (part, text) => print(`  ${part.padEnd(18)}${text}`),
  };
}

export function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1).padStart(5)} s`;
}

/** A part of the local stack could not be started. The message is meant for the person at the terminal. */
export class LocalStackError extends AppError {
  constructor(code: string, message: string, options: { cause?: unknown } = {}) {
    super(code, message, options);
  }
}
