import { join } from 'node:path';
import type { EnvReader } from '@calls/foundation/env-reader';

export interface ObjectStorageConfig {
  /** The folder that holds the objects; the services that write and read them share it. */
  directory: string;
}

/** Faults are collected in `env`; its owner calls `finish`. */
export function readObjectStorageConfig(env: EnvReader): ObjectStorageConfig {
  const directory = env.string('OBJECT_STORAGE_DIR', join(env.string('DATA_DIR', '.data'), 'objects'));
  return { directory };
}
