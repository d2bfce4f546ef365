import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

const FOREIGN = ['node_modules', 'dist', 'dist-types', 'generated'];

/** Paths of all TypeScript files except generated ones, relative to the root: of packages and services, or of `folders`. */
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

/** The import specifiers of a file, including type imports. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORTS)].map(
    ({ groups = {} }) => groups['from'] ?? groups['bare'] ?? groups['late'] ?? '',
  );
}

/** The text without statements that import or export only types. */
export function withoutTypeImports(text: string): string {
  return text.replaceAll(/^(?:import|export) type [^;]*;/gmu, '');
}
