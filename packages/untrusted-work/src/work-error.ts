import { AppError } from '@calls/foundation/errors';

/** `limit`: the exceeded resource. */
export class WorkTooExpensiveError extends AppError {
  readonly limit: 'time' | 'memory';

  constructor(limit: 'time' | 'memory') {
    super('too_expensive', 'is too expensive to evaluate');
    this.limit = limit;
  }
}

/** Too many jobs are waiting, or no process could be started. */
export class WorkUnavailableError extends AppError {
  constructor(reason: string) {
    super('work_unavailable', reason, { retryable: true });
  }
}

/** A job rejected its input. The message may be shown to the customer. */
export class WorkRefusedError extends AppError {}
