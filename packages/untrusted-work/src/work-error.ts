import { AppError } from '@calls/foundation/errors';

/** `limit`: what a job took too much of. */
export class WorkTooExpensiveError extends AppError {
  readonly limit: 'time' | 'memory';

  constructor(limit: 'time' | 'memory') {
    super('too_expensive', 'is too expensive to evaluate');
    this.limit = limit;
  }
}

/** Too many jobs wait, or no process for them could be started. */
export class WorkUnavailableError extends AppError {
  constructor(reason: string) {
    super('work_unavailable', reason, { retryable: true });
  }
}

/** A job refused its input; the message may be shown to the customer. */
export class WorkRefusedError extends AppError {}
