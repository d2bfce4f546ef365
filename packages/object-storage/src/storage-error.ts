import { AppError } from '@calls/foundation/errors';

export type StorageErrorCode = 'invalid_object_key' | 'storage_full' | 'storage_failed';

export class StorageError extends AppError {
  constructor(code: StorageErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(code, message, { ...options, retryable: code !== 'invalid_object_key' });
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Converts a file system error to a StorageError. */
export function storageErrorOf(thrown: unknown, what: string): StorageError {
  if (thrown instanceof StorageError) return thrown;
  const code = errnoOf(thrown);
  if (code !== undefined && FULL.has(code)) {
    return new StorageError('storage_full', `${what}: the storage is full`, { cause: thrown });
  }
  return new StorageError('storage_failed', `${what}: the storage failed${code ? ` (${code})` : ''}`, {
    cause: thrown,
  });
}

export function errnoOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
