import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ROOT } from './source-paths.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const published = globSync('packages/*/package.json', { cwd: ROOT })
  .filter((path) => read(path).includes('"publishConfig"'))
  .map(dirname);

it.each(published)('the README of %s has only links that work on npm', (folder) => {
  const text = read(join(folder, 'README.md'));
  const anchors = [...text.matchAll(/^#+ (.+)$/gmu)].map(
    ([, heading = '']) =>
      `#${heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/gu, '')
        .replaceAll(' ', '-')}`,
  );
  const links = [...text.matchAll(/\]\(([^)]+)\)/gu)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((link) => !link.startsWith('https://') && !anchors.includes(link))).toEqual([]);
});
