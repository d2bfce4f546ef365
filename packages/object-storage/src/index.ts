export { readObjectStorageConfig, type ObjectStorageConfig } from './config.ts';
export { FileStorage } from './file-storage.ts';
export type {
  ObjectInfo,
  ObjectStorage,
  ObjectWriter,
  StoredObject,
  UnfinishedObject,
} from './object-storage.ts';
export { MAX_HEAD_BYTES } from './object-storage.ts';
export { StorageError, type StorageErrorCode } from './storage-error.ts';
