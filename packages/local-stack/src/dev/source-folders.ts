import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SCOPE = '@calls/';

/** The `src` folders a workspace package runs from: its own, and those of every workspace package it depends on. */
export function sourceFoldersOf(repository: string, packageFolder: string): Set<string> {
  const folders = new Set<string>();
  const visit = (folder: string): void => {
    const source = join(repository, folder, 'src');
    if (folders.has(source)) return;
    folders.add(source);
    for (const name of workspaceDependencies(join(repository, folder, 'package.json'))) {
      visit(join('packages', name.slice(SCOPE.length)));
    }
  };
  visit(packageFolder);
  return folders;
}

function workspaceDependencies(manifestPath: string): string[] {
  const manifest: unknown = JSON.parse(readFileSync(manifestPath, 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || !('dependencies' in manifest)) return [];
  return Object.keys(manifest.dependencies ?? {}).filter((name) => name.startsWith(SCOPE));
}
