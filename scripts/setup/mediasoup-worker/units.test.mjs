import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { patchedDtls, prepareBuild } from './build.mjs';
import { mediasoupFolder, RECIPE_FOLDER } from './paths.mjs';
import { unitsOf, unitText } from './units.mjs';

const worker = join(mediasoupFolder, 'worker');
const read = (path) => readFileSync(join(worker, path), 'utf8');
const units = unitsOf(read('meson.build'), read('deps/libwebrtc/meson.build'));

describe('the compilation units of the worker', () => {
  it('contain every source of the installed version once, and no tests', () => {
    const sources = units.flat();
    expect(sources.length).toBeGreaterThan(200);
    expect(new Set(sources).size).toBe(sources.length);
    expect(sources).toContain('src/main.cpp');
    expect(sources.filter((path) => !existsSync(join(worker, path)))).toEqual([]);
    expect(sources.filter((path) => /\b(?:test|fuzzer|mocks)\//.test(path))).toEqual([]);
  });

  it('have about the same size, except for sources that must be compiled alone', () => {
    const sizes = units.map(({ length }) => length).filter((length) => length > 1);
    expect(Math.max(...sizes) / Math.min(...sizes)).toBeLessThan(2.5);
  });

  it('separate neighbouring sources', () => {
    const build = "'src/a.cpp', 'src/b.cpp', 'src/c.cpp', 'mocks/src/d.cpp'";
    expect(unitsOf(build, '').filter(({ length }) => length > 0)).toEqual([
      ['src/a.cpp'],
      ['src/b.cpp'],
      ['src/c.cpp'],
    ]);
  });

  it('include their sources, and undefine MS_CLASS after each', () => {
    expect(unitText(['src/a.cpp', 'src/b.cpp'], (path) => `/w/${path}`)).toBe(
      '#include "/w/src/a.cpp"\n#undef MS_CLASS\n#include "/w/src/b.cpp"\n#undef MS_CLASS\n',
    );
  });
});

it('the build names its sources by paths that have no spaces', () => {
  const parent = mkdtempSync(join(tmpdir(), 'mediasoup build '));
  try {
    const folder = join(parent, 'the build');
    symlinkSync(worker, join(parent, 'worker'));
    prepareBuild(folder, join(parent, 'worker'));
    const unitFiles = readdirSync(folder).filter((name) => name.startsWith('unit-'));
    const named = [
      ...readFileSync(join(RECIPE_FOLDER, 'Makefile'), 'utf8').matchAll(/ -I(\S+)|\(wildcard (\S+)\/\*/gu),
      ...unitFiles.flatMap((name) => [
        ...readFileSync(join(folder, name), 'utf8').matchAll(/#include "(.+)"/gu),
      ]),
    ].map(([, include, sources]) => include ?? sources);
    expect(named.length).toBeGreaterThan(200);
    expect(named.filter((path) => /[\s$]/u.test(path) || !existsSync(join(folder, path)))).toEqual([]);
  } finally {
    rmSync(parent, { recursive: true });
  }
});

describe('the patch for Debian’s OpenSSL', () => {
  it('fits the installed version and changes one line of it', () => {
    const before = read('src/RTC/DtlsTransport.cpp').split('\n');
    const after = patchedDtls(before.join('\n')).split('\n');
    const changed = after.filter((line, i) => line !== before[i]);
    expect(changed).toEqual([expect.stringContaining('(operationType & BIO_CB_RETURN) != 0')]);
  });

  it('is rejected for a source that it does not match', () => {
    expect(() => patchedDtls('int main() {}')).toThrow('not the one that the patch is for');
  });
});
