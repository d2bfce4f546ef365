import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toError } from '@calls/foundation/errors';

const CACHE_DIR = join(import.meta.dirname, '../../../../.cache/recordings');
const APT_OPTIONS = ['-o', 'Acquire::Retries=3', '-o', 'APT::Sandbox::User=root'];
const LIMITS = { timeout: 300_000 };

const run = promisify(execFile);

/** Folders by package, so that each package is unpacked once. */
const folders = new Map<string, Promise<string>>();

/**
 * The folder with the files of a Debian package. The first use downloads the package with apt-get and unpacks it in
 * `.cache/recordings`. Does not install the package, and needs no root privileges.
 */
export function unpackedPackage(name: string): Promise<string> {
  const known = folders.get(name);
  if (known) return known;
  const folder = unpack(name);
  folders.set(name, folder);
  return folder;
}

async function unpack(name: string): Promise<string> {
  const folder = join(CACHE_DIR, name);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE_DIR, { recursive: true });
  const unfinished = await mkdtemp(join(CACHE_DIR, `${name}.`));
  try {
    await download(name, unfinished);
    await rename(join(unfinished, 'files'), folder).catch((error: unknown) => {
      // Another process has unpacked the same package meanwhile.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true });
  }
  return folder;
}

async function download(name: string, folder: string): Promise<void> {
  try {
    await run('apt-get', [...APT_OPTIONS, 'download', name], { ...LIMITS, cwd: folder });
  } catch (thrown) {
    throw new Error(
      `cannot download the Debian package ${name}; run apt-get update, then try again: ${toError(thrown).message}`,
      { cause: thrown },
    );
  }
  const archive = (await readdir(folder)).find((file) => file.endsWith('.deb'));
  if (archive === undefined) throw new Error(`apt-get download ${name} wrote no .deb file`);
  await run('dpkg-deb', ['--extract', join(folder, archive), join(folder, 'files')], LIMITS);
}
