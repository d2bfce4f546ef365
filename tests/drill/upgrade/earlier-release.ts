import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '@calls/local-stack/stack';
import { workerPaths } from '../../../scripts/setup/mediasoup-worker/paths.mjs';

const run = promisify(execFile);

/** The previous release while no release is tagged. Its services hand over calls before they stop. */
const UNTAGGED_RELEASE = '894319cd52450b14a536c4cd660a209af5fbb31c';
const SET_UP =
  "const { ensureSetUp } = await import('./scripts/setup/ensure-set-up.mjs'); await ensureSetUp([]);";

/** The source tree of an earlier release. */
export interface EarlierRelease {
  readonly name: string;
  readonly id: string;
  readonly folder: string;
}

/**
 * Unpacks a commit of this repository into the user's cache, with the dependencies of its own lockfile. If `commit` is
 * null, uses the latest tag before HEAD, or UNTAGGED_RELEASE if there is none. Throws if the clone lacks the commit.
 */
export async function earlierRelease(commit: string | null): Promise<EarlierRelease> {
  const name = commit ?? (await latestTag()) ?? UNTAGGED_RELEASE;
  const id = await idOf(name);
  const folder = join(dirname(workerPaths().root), 'releases', id);
  if (!existsSync(folder)) await unpack(id, folder);
  await run(process.execPath, ['--input-type=module', '--eval', SET_UP], { cwd: folder });
  return { id, name: `${name === id ? '' : `${name}, `}${id.slice(0, 12)}`, folder };
}

async function latestTag(): Promise<string | null> {
  try {
    return await git('describe', '--tags', '--abbrev=0', 'HEAD^');
  } catch {
    return null;
  }
}

async function idOf(name: string): Promise<string> {
  try {
    return await git('rev-parse', '--verify', '--end-of-options', `${name}^{commit}`);
  } catch (thrown) {
    const isShallow = (await git('rev-parse', '--is-shallow-repository').catch(() => '')) === 'true';
    const advice = isShallow ? 'this clone is shallow: run `git fetch --unshallow`' : 'fetch it';
    throw new Error(`the release ${name} is not in this clone; ${advice}, or choose another by --from`, {
      cause: thrown,
    });
  }
}

async function unpack(id: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    const archive = `${unfinished}.tar`;
    await git('archive', `--output=${archive}`, id);
    await run('tar', ['--extract', `--file=${archive}`, `--directory=${unfinished}`]);
    await rm(archive);
    await rename(unfinished, folder);
  } catch (thrown) {
    await rm(unfinished, { recursive: true, force: true });
    // Another run has unpacked the same commit.
    if (!existsSync(folder)) throw thrown;
  }
}

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', REPOSITORY, ...args]);
  return stdout.trim();
}
