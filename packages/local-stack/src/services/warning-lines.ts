import type { Clock } from '@calls/foundation/clock';

const WARN_LEVEL = 40;
const MAX_CHARACTERS = 300;

/** A service's log line as it is shown on the terminal: short, and only from warnings upwards. */
export function warningOf(logLine: string): string | undefined {
  const record = parseLogLine(logLine);
  if (record === undefined) return logLine.trim() === '' ? undefined : shorten(logLine);
  return record.level >= WARN_LEVEL ? shorten(record.text) : undefined;
}

/** Whether the line came from a logger. What did not is a crash before there was one. */
export function isLogLine(line: string): boolean {
  return parseLogLine(line) !== undefined;
}

/** A line as it is shown among a failed process's last words: a log record as its message and error, others as they are. */
export function plainLine(line: string): string {
  return parseLogLine(line)?.text ?? line;
}

/** Lets a bounded number of lines through per window, and says afterwards how many it held back. */
export class LineBudget {
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

  /** Counts one line: whether to show it, and how many were held back in the window that ended with it. */
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
  const fault = errorMessageOf(fields['err']);
  return { level: fields['level'], text: fault === undefined ? fields['msg'] : `${fields['msg']}: ${fault}` };
}

function parseFields(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function errorMessageOf(err: unknown): string | undefined {
  if (typeof err !== 'object' || err === null || !('message' in err)) return undefined;
  return typeof err.message === 'string' ? err.message : undefined;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS)}…`;
}
