import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../docs/reference/configuration');

/** The environment variables in the first column of the configuration reference's tables. */
export function documentedVariables(): string[] {
  const rows = readdirSync(FOLDER).flatMap((name) =>
    [...readFileSync(join(FOLDER, name), 'utf8').matchAll(/^\|([^|]*)\|/gmu)].map(([, cell = '']) => cell),
  );
  return rows.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/gu)].map(([, name = '']) => name));
}
