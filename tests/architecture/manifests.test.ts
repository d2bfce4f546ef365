import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { importsOf, ROOT, sourcePaths, withoutTypeImports } from './source-paths.ts';

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Dependencies that are listed because another dependency needs them as peers. */
const PEERS: Record<string, readonly string[]> = {
  'packages/api-client': ['typescript'],
  'packages/redis': ['ioredis'],
};
/** Packages that no image installs. The SDK is bundled with its libraries. */
const NOT_INSTALLED = new Set([
  ...['packages/client', 'packages/testkit', 'services/console', 'services/docs-site', 'tests'],
]);

const homes = globSync('{packages/*,services/*,examples,tests}/package.json', { cwd: ROOT })
  .map(dirname)
  .sort();
const manifests = homes.map((home) => [home, parsed(`${home}/package.json`) as Manifest] as const);
const shared = Object.keys((parsed('package.json') as Manifest).devDependencies ?? {});

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Parses JSON that may contain comment lines. */
function parsed(path: string): object {
  return JSON.parse(read(path).replace(/^\s*\/\/.*$/gmu, '')) as object;
}

/** The packages that these texts import. */
function packagesIn(texts: readonly string[]): string[] {
  const names = texts
    .flatMap(importsOf)
    .filter((specifier) => /^[@a-z]/u.test(specifier) && !isBuiltin(specifier))
    .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(names)].sort();
}

describe.each(manifests)('%s', (home, { name, dependencies = {}, devDependencies = {} }) => {
  const paths = sourcePaths([home]);
  const texts = paths.map(read);
  const imported = packagesIn(texts).filter((each) => each !== name);
  const own = Object.keys({ ...dependencies, ...devDependencies });

  it('declares every package that it imports, and those of run-time code in `dependencies`', () => {
    expect(imported.filter((each) => !own.includes(each) && !shared.includes(each))).toEqual([]);
    const running = paths.filter(
      (path) => !/\.test\.|\/testing\/|\/(?:generate|lint-description)\.ts$/u.test(path),
    );
    const needed = packagesIn(running.map((path) => withoutTypeImports(read(path))));
    const missing = needed.filter((each) => each !== name && !(each in dependencies));
    expect(NOT_INSTALLED.has(home) ? [] : missing).toEqual([]);
  });

  it('has no unused dependencies', () => {
    const scripts = globSync(`${home}/**/*.mjs`, { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] }).map(
      read,
    );
    const text = [...texts, ...scripts].join('\n');
    const idle = own.filter((each) => !text.includes(`'${each}'`) && !text.includes(`'${each}/`));
    const peers = PEERS[home] ?? [];
    expect(idle.filter((each) => !each.startsWith('@types/') && !peers.includes(each))).toEqual([]);
  });
});

it('optional dependencies are chosen for the Node that the project installs', () => {
  const { nodeVersion } = parse(read('pnpm-workspace.yaml')) as { nodeVersion: string };
  const { optionalDependencies } = parsed('package.json') as { optionalDependencies: Record<string, string> };
  expect(Object.values(optionalDependencies)).toEqual([nodeVersion, nodeVersion]);
});
