import { join } from 'node:path';
import type { EnvReader } from '@calls/foundation/env-reader';
import { SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { text } from '@calls/foundation/variable';

export interface ObjectStorageConfig {
  /** The folder that holds the objects; the services that write and read them share it. */
  directory: string;
}

const VARIABLES = {
  DATA_DIR: SHARED_VARIABLES.DATA_DIR,
  OBJECT_STORAGE_DIR: text({
    unset: '`$DATA_DIR/objects`',
    meaning: 'recordings and uploads; the same folder on all machines',
  }),
};

/** Issues are collected in `env`; the caller calls `finish`. */
export function readObjectStorageConfig(env: EnvReader): ObjectStorageConfig {
  const { OBJECT_STORAGE_DIR, DATA_DIR } = env.read(VARIABLES);
  return { directory: OBJECT_STORAGE_DIR ?? join(DATA_DIR, 'objects') };
}
