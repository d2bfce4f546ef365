import { join } from 'node:path';
import { systemClock } from '@calls/foundation/clock';
import { LineSplitter } from '../process/line-splitter.ts';
import { RotatingLog } from '../process/rotating-log.ts';
import type { Reporter } from '../reporter.ts';
import { isLogLine, LineRateLimit, warningOf } from './warning-lines.ts';

const MAX_LOG_BYTES = 20_000_000;
const MAX_LINES_PER_WINDOW = 10;
const WINDOW_MS = 10_000;

/**
 * Handles the output of a service: writes all of it to its log file, and warnings and errors in short form to the
 * terminal.
 */
export class ServiceOutput {
  readonly logPath: string;
  /** Before the service is ready, unformatted lines are not shown: they are part of the error of a failed start. */
  isReady = false;
  readonly #log: RotatingLog;
  readonly #lines: LineSplitter;

  constructor(name: string, logsDir: string, reporter: Reporter) {
    this.logPath = join(logsDir, `${name}.log`);
    this.#log = new RotatingLog(this.logPath, MAX_LOG_BYTES, (text) => reporter.notice(name, text));
    const budget = new LineRateLimit(systemClock, MAX_LINES_PER_WINDOW, WINDOW_MS);
    this.#lines = new LineSplitter((line) => {
      const warning = warningOf(line);
      if (warning === undefined || !(this.isReady || isLogLine(line))) return;
      const { show, heldBack } = budget.take();
      if (heldBack > 0) reporter.notice(name, `${heldBack} more warnings; see ${this.logPath}`);
      if (show) reporter.notice(name, warning);
    });
  }

  push(chunk: Buffer): void {
    this.#log.write(chunk);
    this.#lines.push(chunk);
  }

  close(): void {
    this.#lines.end();
    this.#log.close();
  }
}
