import { accessSync, constants, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LocalStackError } from './reporter.ts';

const POSTGRESQL_ROOT = '/usr/lib/postgresql';
const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/usr/local/sbin', '/usr/sbin'];

/**
 * The absolute path of a program in PATH, in Debian's PostgreSQL folders (newest version first) or in system folders.
 */
export function findProgram(name: string): string | undefined {
  const inPath = (process.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  return [...inPath, ...postgresqlFolders(), ...SYSTEM_FOLDERS]
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function requireProgram(name: string, debianPackage: string): string {
  const path = findProgram(name);
  if (path !== undefined) return path;
  throw new LocalStackError(
    'program_missing',
    `${name} is not installed. On Debian or Ubuntu: apt-get install --no-install-recommends ${debianPackage}`,
  );
}

function postgresqlFolders(): string[] {
  try {
    return readdirSync(POSTGRESQL_ROOT)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(POSTGRESQL_ROOT, version, 'bin'));
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
