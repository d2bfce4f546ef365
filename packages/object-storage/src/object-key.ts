import { StorageError } from './storage-error.ts';

const MAX_KEY_LENGTH = 512;
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/u;

/**
 * Keys are names with slashes between them: letters, digits, dots, hyphens and underscores, none beginning with a dot. So
 * no key leads out of its folder, and none is a hidden file.
 */
export function assertObjectKey(key: string): void {
  if (key.length <= MAX_KEY_LENGTH && key.split('/').every((segment) => SEGMENT.test(segment))) return;
  throw new StorageError('invalid_object_key', 'an object key has a form that is not allowed');
}
