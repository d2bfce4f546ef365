import { AppError } from '@calls/foundation/errors';

/** Receives progress messages for the user at the terminal. */
export interface Reporter {
  /** A part is ready, `tookMs` after its start. */
  ready(part: string, tookMs: number, detail: string): void;
  /** Information for the user about a part. One line. */
  notice(part: string, text: string): void;
}

export const silentReporter: Reporter = { ready: () => undefined, notice: () => undefined };

/** Prints one line per event, in columns. */
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

/** A part of the local stack could not be started. The message is for the user at the terminal. */
export class LocalStackError extends AppError {
  constructor(code: string, message: string, options: { cause?: unknown } = {}) {
    super(code, message, options);
  }
}
