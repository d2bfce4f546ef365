import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { toError } from '@calls/foundation/errors';
import { LocalStackError } from '../reporter.ts';

/** The folder for all files of the local stack. */
export interface DataDirectory {
  readonly root: string;
  readonly logs: string;
  /** One file per live process, and configuration files that are rewritten at each start. */
  readonly run: string;
  readonly secrets: string;
  readonly developmentKeyFile: string;
}

/** Creates missing folders, readable by this user only. */
export function openDataDirectory(path: string): DataDirectory {
  const root = resolve(path);
  const directory: DataDirectory = {
    root,
    logs: join(root, 'logs'),
    run: join(root, 'run'),
    secrets: join(root, 'secrets'),
    developmentKeyFile: join(root, 'dev-api-key'),
  };
  try {
    for (const folder of [root, directory.logs, directory.run, directory.secrets]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    }
  } catch (thrown) {
    throw new LocalStackError(
      'data_directory_unusable',
      `DATA_DIR ${root} cannot be written: ${toError(thrown).message}`,
      { cause: thrown },
    );
  }
  return directory;
}
