import { StorageError } from './storage-error.ts';

const MAX_KEY_LENGTH = 512;
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/u;

/**
 * Keys are names separated by slashes, made of letters, digits, dots, hyphens and underscores, not starting with a dot.
 * So no key leads out of its folder or names a hidden file. Throws a StorageError.
 */
export function assertObjectKey(key: string): void {
  if (key.length <= MAX_KEY_LENGTH && key.split('/').every((segment) => SEGMENT.test(segment))) return;
  throw new StorageError('invalid_object_key', 'an object key has a form that is not allowed');
}
