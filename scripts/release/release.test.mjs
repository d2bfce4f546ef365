import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { repository } from '../setup/host.mjs';
import { baseImage, buildArguments, pinned, writeSbom } from './image.mjs';
import { releaseCommand } from './release.mjs';
import { readVersion } from './version-updater.mjs';

const { bumpFiles } = JSON.parse(readFileSync(join(repository, '.versionrc.json'), 'utf8'));
const paths = bumpFiles.map((file) => (typeof file === 'string' ? file : file.filename));
const versionIn = (folder, path) => {
  const text = readFileSync(join(folder, path), 'utf8');
  return path.endsWith('.json') ? JSON.parse(text).version : readVersion(text);
};

/** Ignores the git configuration of the user. */
const gitEnvironment = {
  ...process.env,
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  ...{ GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@calls.test' },
  ...{ GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@calls.test' },
};

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'calls-release-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run release', () => {
  it('sets the version in every file that contains it, writes the changelog and tags the commit', () => {
    for (const path of [...paths, '.versionrc.json', 'scripts/release/version-updater.mjs'])
      cpSync(join(repository, path), join(folder, path));
    const git = (...args) =>
      execFileSync('git', args, { cwd: folder, encoding: 'utf8', env: gitEnvironment });
    const commit = (message) => {
      writeFileSync(join(folder, 'change'), message);
      git('add', '--all');
      git('commit', '--quiet', '--message', message);
    };
    const before = versionIn(folder, 'package.json');
    git('init', '--quiet');
    commit('chore: begin');
    git('tag', `v${before}`);
    commit('fix(bus): retry once');
    commit('test: cover the retry');
    const [program, ...args] = releaseCommand(process.execPath, ['--release-as', 'minor']);
    execFileSync(program, args, { cwd: folder, env: gitEnvironment });

    const [major, minor] = before.split('.').map(Number);
    const after = `${major}.${minor + 1}.0`;
    expect(paths.map((path) => [path, versionIn(folder, path)])).toEqual(paths.map((path) => [path, after]));
    const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
    expect(changelog).toContain('**bus:** retry once');
    expect(changelog).not.toContain('cover the retry');
    expect(git('tag', '--points-at', 'HEAD').trim()).toBe(`v${after}`);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('finds the same version in all of these files, and in no other', () => {
    const versions = new Set(paths.map((path) => versionIn(repository, path)));
    expect(versions.size).toBe(1);
    const [version] = versions;
    const others = ['deploy', 'packages/*/src/**', 'services/*/src/**', ':!*.test.*'];
    const stating = execFileSync('git', ['grep', '-lFw', version, '--', ...others], {
      cwd: repository,
      encoding: 'utf8',
    });
    expect(
      stating
        .trim()
        .split('\n')
        .filter((path) => !paths.includes(path)),
    ).toEqual([]);
  });
});

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('npm run release:image', () => {
  it('looks up the digest of the base image, unless NODE_IMAGE has one', async () => {
    const lookedUp = [];
    const lookUp = async (reference) => {
      lookedUp.push(reference);
      return DIGEST;
    };
    const base = await baseImage({});
    expect(base).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim$/);
    expect(await pinned(base, lookUp)).toBe(`${base}@${DIGEST}`);
    const given = await baseImage({ NODE_IMAGE: `mirror.test/node:24@${DIGEST}` });
    expect(await pinned(given, lookUp)).toBe(given);
    expect(lookedUp).toEqual([base]);
  });

  it.each([
    ['a truncated digest', 'node:24@sha256:abc', DIGEST],
    ['a response that is not a digest', 'node:24', ''],
  ])('rejects %s', async (_, reference, answer) => {
    await expect(pinned(reference, async () => answer)).rejects.toThrow(/digest/);
  });

  it('lists the npm packages of the image in the SBOM, without development dependencies', async () => {
    const path = await writeSbom(join(folder, 'sbom.json'));
    const { bomFormat, components } = JSON.parse(readFileSync(path, 'utf8'));
    expect(bomFormat).toBe('CycloneDX');
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['express', 'kysely', 'mediasoup', 'nats']));
    for (const name of ['jest', 'react', 'typescript', 'vite']) expect(names).not.toContain(name);
  });

  it('tags by version and commit, and attaches SBOM and provenance', () => {
    const options = {
      image: 'registry.test/calls',
      base: `node:24@${DIGEST}`,
      version: '1.2.3',
      revision: 'abc',
      metadataFile: 'm.json',
    };
    const text = buildArguments(options).join(' ');
    for (const part of [
      '--tag registry.test/calls:1.2.3',
      '--tag registry.test/calls:abc',
      `--build-arg NODE_IMAGE=node:24@${DIGEST}`,
      '--sbom=true',
      '--push',
    ])
      expect(text).toContain(part);
  });
});
