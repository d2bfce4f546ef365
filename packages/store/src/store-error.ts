import { AppError } from '@calls/foundation/errors';
import { DatabaseError } from 'pg';

/** PostgreSQL can't be reached or is going away. */
export class StoreUnavailableError extends AppError {
  constructor(cause: unknown) {
    super('store_unavailable', 'the database is not available', { retryable: true, cause });
  }
}

/** SQLSTATE classes and codes that say so: connection faults, shutdown, start-up, too many connections, time-outs. */
const UNAVAILABLE_STATES = /^(?:08...|57P0[1-3]|57014|53300|25P03|40001|40P01|55P03)$/;
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
/** Faults that the driver raises without a code. */
const UNAVAILABLE_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Client was closed/;

/** Whether the same operation may work again by itself: the database is away, busy or was interrupted. */
export function isStoreUnavailable(thrown: unknown): boolean {
  if (thrown instanceof StoreUnavailableError) return true;
  if (thrown instanceof DatabaseError) return UNAVAILABLE_STATES.test(thrown.code ?? '');
  if (typeof thrown !== 'object' || thrown === null) return false;
  // By their fields: faults of sockets may come from another realm than this module's `Error`.
  if ('errors' in thrown && Array.isArray(thrown.errors)) return thrown.errors.some(isStoreUnavailable);
  if ('code' in thrown && typeof thrown.code === 'string') return UNAVAILABLE_SYSTEM_CODES.has(thrown.code);
  return 'message' in thrown && UNAVAILABLE_MESSAGES.test(String(thrown.message));
}

const FOREIGN_KEY_VIOLATION = '23503';

/** A row refers to one that isn't there. */
export function isForeignKeyViolation(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.code === FOREIGN_KEY_VIOLATION;
}

const UNIQUE_VIOLATION = '23505';

/** Another row has what must be unique. */
export function isUniqueViolation(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.code === UNIQUE_VIOLATION;
}
