import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

const FOREIGN = ['node_modules', 'dist', 'dist-types', 'generated'];

/** The TypeScript files that people write, tests included, from the root: of packages and services, or of `folders`. */
export function sourcePaths(folders = ['packages', 'services']): string[] {
  return globSync(
    folders.map((folder) => `${folder}/**/*.{ts,tsx}`),
    {
      cwd: ROOT,
      exclude: (path) => FOREIGN.includes(path.split('/').at(-1) ?? ''),
    },
  ).sort();
}

const IMPORTS =
  /^(?:import|export)\b[^;'`]*?\bfrom '(?<from>[^']+)'|^import '(?<bare>[^']+)'|\bimport\('(?<late>[^']+)'\)/gmu;

/** What a file imports, types too, as it is written. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORTS)].map(
    ({ groups = {} }) => groups['from'] ?? groups['bare'] ?? groups['late'] ?? '',
  );
}

/** The text without what imports types alone. */
export function withoutTypeImports(text: string): string {
  return text.replaceAll(/^(?:import|export) type [^;]*;/gmu, '');
}
