import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repository } from '../host.mjs';

export const RECIPE_FOLDER = dirname(fileURLToPath(import.meta.url));
export const mediasoupFolder = join(repository, 'packages/transports/node_modules/mediasoup');

/** The version of the installed mediasoup package. Its JavaScript and the worker must have the same version. */
export function mediasoupVersion() {
  return JSON.parse(readFileSync(join(mediasoupFolder, 'package.json'), 'utf8')).version;
}

/**
 * The folder of a user's workers for all checkouts, which may be deleted at any time. It has a folder for each version,
 * platform and recipe.
 */
export function workerPaths(env = process.env, version = mediasoupVersion()) {
  const root = join(userCache(env), 'calls/mediasoup-worker');
  const folder = join(root, `${version}-${process.arch}-${recipeKey()}`);
  return {
    root,
    folder,
    binary: join(folder, 'mediasoup-worker'),
    /** The shared libraries that the worker needs, one path per line. */
    libraries: join(folder, 'libraries'),
    /** Why no worker is available, and since when. */
    failure: `${folder}.failed.json`,
  };
}

/** Whether the files of the worker and of its libraries exist. Libraries may be missing after a cache was moved. */
export function isComplete({ binary, libraries }) {
  if (!existsSync(binary) || !existsSync(libraries)) return false;
  return readFileSync(libraries, 'utf8').split('\n').filter(Boolean).every(existsSync);
}

/** Hash of the files that determine the build, and of the operating system. */
export function recipeKey(folder = RECIPE_FOLDER, system = systemRelease()) {
  const hash = createHash('sha256').update(`${system}\n`);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .filter((path) => /^(?:Makefile|build\.mjs|units\.mjs|include\/.*)$/.test(path));
  for (const path of files.sort()) hash.update(`${path}\n`).update(readFileSync(join(folder, path)));
  return hash.digest('hex').slice(0, 12);
}

function systemRelease() {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return process.platform;
  }
}

/** Ignores relative paths, as the XDG specification requires. */
function userCache({ XDG_CACHE_HOME: given }) {
  return given && isAbsolute(given) ? given : join(homedir(), '.cache');
}
