import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

const FOREIGN = ['node_modules', 'dist', 'dist-types', 'generated'];

/** The TypeScript files of packages and services that people write, tests included, from the root. */
export function sourcePaths(): string[] {
  return globSync('{packages,services}/**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: (path) => FOREIGN.includes(path.split('/').at(-1) ?? ''),
  }).sort();
}
