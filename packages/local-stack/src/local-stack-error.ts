import { AppError } from '@calls/foundation/errors';

/** A part of the local stack could not be started. The message is meant for the person at the terminal. */
export class LocalStackError extends AppError {
  constructor(code: string, message: string, options: { cause?: unknown } = {}) {
    super(code, message, options);
  }
}
