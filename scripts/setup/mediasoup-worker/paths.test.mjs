import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isComplete, RECIPE_FOLDER, recipeKey, workerPaths } from './paths.mjs';
import { isWorthAnotherTry } from './worker-environment.mjs';

let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'worker-paths-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the folder of a worker', () => {
  it('is in the user’s cache, by version, platform and recipe', () => {
    const { binary } = workerPaths({ XDG_CACHE_HOME: '/cache' }, '1.2.3');
    expect(binary).toBe(
      `/cache/calls/mediasoup-worker/1.2.3-${process.arch}-${recipeKey()}/mediasoup-worker`,
    );
    for (const env of [{}, { XDG_CACHE_HOME: '' }, { XDG_CACHE_HOME: 'relative' }])
      expect(workerPaths(env, '1.2.3').root).toBe(join(homedir(), '.cache/calls/mediasoup-worker'));
  });

  it.each(['Makefile', 'build.mjs', 'units.mjs', 'include/srtp.h', 'include/ankerl/unordered_dense.h'])(
    'changes when %s changes',
    (path) => {
      cpSync(RECIPE_FOLDER, folder, { recursive: true });
      const before = recipeKey(folder);
      writeFileSync(join(folder, path), '\n', { flag: 'a' });
      expect(recipeKey(folder)).not.toBe(before);
    },
  );

  it('differs between systems, and does not depend on files that are not part of the build', () => {
    cpSync(RECIPE_FOLDER, folder, { recursive: true });
    const before = recipeKey(folder, 'bookworm');
    writeFileSync(join(folder, 'prebuilt.mjs'), '\n', { flag: 'a' });
    expect(recipeKey(folder, 'bookworm')).toBe(before);
    expect(recipeKey(folder, 'trixie')).not.toBe(before);
  });

  it('is complete only with all the libraries that the worker needs', () => {
    const paths = { binary: join(folder, 'mediasoup-worker'), libraries: join(folder, 'libraries') };
    const library = join(folder, 'libsrtp2.so.1');
    writeFileSync(paths.libraries, `${library}\n`);
    writeFileSync(library, '');
    expect(isComplete(paths)).toBe(false);
    writeFileSync(paths.binary, '');
    expect(isComplete(paths)).toBe(true);
    rmSync(library);
    expect(isComplete(paths)).toBe(false);
  });
});

describe('the build after a failure', () => {
  const at = '2026-01-01T00:00:00Z';
  const hoursLater = (hours) => Date.parse(at) + hours * 3_600_000;

  it('is tried again after a day', () => {
    expect(isWorthAnotherTry({ at, missing: [] }, hoursLater(23), [])).toBe(false);
    expect(isWorthAnotherTry({ at, missing: [] }, hoursLater(25), [])).toBe(true);
    expect(isWorthAnotherTry({ at: 'garbled', missing: [] }, hoursLater(1), [])).toBe(true);
  });

  it('is tried again as soon as missing packages are installed', () => {
    expect(isWorthAnotherTry({ at, missing: ['g++'] }, hoursLater(1), ['g++'])).toBe(false);
    expect(isWorthAnotherTry({ at, missing: ['g++'] }, hoursLater(1), [])).toBe(true);
  });
});
