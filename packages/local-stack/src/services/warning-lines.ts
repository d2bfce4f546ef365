import type { Clock } from '@calls/foundation/clock';
import { shortened } from '@calls/foundation/shortened';

const WARN_LEVEL = 40;
const MAX_CHARACTERS = 300;

/** The short form of a log line for the terminal; undefined below warning level. */
export function warningOf(logLine: string): string | undefined {
  const record = parseLogLine(logLine);
  if (record === undefined) return logLine.trim() === '' ? undefined : inOneLine(logLine);
  return record.level >= WARN_LEVEL ? inOneLine(record.text) : undefined;
}

/** Whether a logger wrote the line. Other lines come from crashes before the logger exists. */
export function isLogLine(line: string): boolean {
  return parseLogLine(line) !== undefined;
}

/** Short form of a line for error messages: message and error of a log record; other lines unchanged. */
export function plainLine(line: string): string {
  return parseLogLine(line)?.text ?? line;
}

/** Limits the number of lines per window and reports how many were suppressed. */
export class LineRateLimit {
  readonly #clock: Clock;
  readonly #maxLines: number;
  readonly #windowMs: number;
  #windowStartMs = -Infinity;
  #seen = 0;

  constructor(clock: Clock, maxLines: number, windowMs: number) {
    this.#clock = clock;
    this.#maxLines = maxLines;
    this.#windowMs = windowMs;
  }

  /** Counts a line. Returns whether to show it, and how many lines were suppressed in the window that it ends. */
  take(): { show: boolean; heldBack: number } {
    const nowMs = this.#clock.nowMs();
    let heldBack = 0;
    if (nowMs - this.#windowStartMs >= this.#windowMs) {
      heldBack = Math.max(0, this.#seen - this.#maxLines);
      this.#windowStartMs = nowMs;
      this.#seen = 0;
    }
    this.#seen += 1;
    return { show: this.#seen <= this.#maxLines, heldBack };
  }
}

function parseLogLine(line: string): { level: number; text: string } | undefined {
  const fields = parseFields(line);
  if (typeof fields?.['level'] !== 'number' || typeof fields['msg'] !== 'string') return undefined;
  // Deliveries have a `failure` instead of an error.
  const reason = errorMessageOf(fields['err']) ?? fields['failure'];
  const text = typeof reason === 'string' ? `${fields['msg']}: ${reason}` : fields['msg'];
  return { level: fields['level'], text };
}

function parseFields(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The message of the error, with that of its cause if it does not include it. */
function errorMessageOf(err: unknown): string | undefined {
  if (typeof err !== 'object' || err === null || !('message' in err)) return undefined;
  if (typeof err.message !== 'string') return undefined;
  const cause = 'cause' in err ? errorMessageOf(err.cause) : undefined;
  return cause === undefined || err.message.includes(cause) ? err.message : `${err.message}: ${cause}`;
}

function inOneLine(text: string): string {
  return shortened(text.replaceAll(/\s+/g, ' ').trim(), MAX_CHARACTERS);
}
