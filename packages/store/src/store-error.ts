import { AppError } from '@calls/foundation/errors';
import { DatabaseError } from 'pg';

/** PostgreSQL cannot be connected to, or cannot do its work at present. */
export class StoreUnavailableError extends AppError {
  constructor(cause: unknown) {
    super('store_unavailable', 'the database is not available', { retryable: true, cause });
  }
}

/**
 * SQLSTATE classes and codes of unavailability: connection errors, shutdown, start-up, too many connections, no disk
 * space or memory, failed reads and writes of files, timeouts, a server that became a standby.
 */
const UNAVAILABLE_STATES = /^(?:08...|57P0[1-3]|57014|53[0-3]..|58030|25006|25P03|40001|40P01|55P03)$/;
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
/** Driver errors without a code. */
const UNAVAILABLE_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Client was closed/;

/** Whether a retry of the same operation may succeed: the database is unavailable, busy, or was interrupted. */
export function isStoreUnavailable(thrown: unknown): boolean {
  if (thrown instanceof StoreUnavailableError) return true;
  if (thrown instanceof DatabaseError) return UNAVAILABLE_STATES.test(thrown.code ?? '');
  if (typeof thrown !== 'object' || thrown === null) return false;
  // Checked by fields: socket errors may come from another realm than this module's `Error`.
  if ('errors' in thrown && Array.isArray(thrown.errors)) return thrown.errors.some(isStoreUnavailable);
  if ('code' in thrown && typeof thrown.code === 'string') return UNAVAILABLE_SYSTEM_CODES.has(thrown.code);
  return 'message' in thrown && UNAVAILABLE_MESSAGES.test(String(thrown.message));
}

const CANCELED = '57014';

/** The server ended the statement at its time limit. */
export function isStatementTimeout(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.code === CANCELED;
}

const READ_ONLY = '25006';
/** The client's limit, which is longer than the server's: the server is lost or hangs. */
const UNANSWERED = 'Query read timeout';

/** Whether other queries on connections to this server would fail too: it became a standby, or does not respond. */
export function isServerLost(thrown: unknown): boolean {
  if (thrown instanceof DatabaseError) return thrown.code === READ_ONLY;
  return Error.isError(thrown) && thrown.message.includes(UNANSWERED);
}

const FOREIGN_KEY_VIOLATION = '23503';

/** A row refers to a missing row. */
export function isForeignKeyViolation(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.code === FOREIGN_KEY_VIOLATION;
}

const UNIQUE_VIOLATION = '23505';

/** Another row has the same unique value. */
export function isUniqueViolation(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.code === UNIQUE_VIOLATION;
}
