import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './setup-error.mjs';

export const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
/** Tools, logs and stamps of the set-up; may be removed at any time. */
export const cacheFolder = join(repository, '.cache');

const PROJECT_NODE_MAJOR = 24;

export function requireSupportedHost() {
  if (process.platform !== 'linux') {
    throw new SetupError(
      `This runs on Linux (x64, arm64), not on ${process.platform}. Elsewhere use the containers: docker compose up`,
    );
  }
}

/** The Node.js of the project's dependencies; if there is none, that of this process if it is new enough. */
export function projectNode() {
  const own = join(repository, 'node_modules/.bin/node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= PROJECT_NODE_MAJOR) return process.execPath;
  throw new SetupError(
    `No Node ${PROJECT_NODE_MAJOR} for ${process.platform}-${process.arch} comes with the dependencies: ` +
      `install Node ${PROJECT_NODE_MAJOR} and run again`,
  );
}
