import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/**
 * The trace of a call in a folder of objects, also one that its worker left unfinished; null where there is none. `named`
 * may be a file instead of the id of a call.
 */
export async function findTrace(objectsDir: string, named: string): Promise<string | null> {
  if (named.endsWith('.jsonl')) return readFile(named, 'utf8');
  const folder = join(objectsDir, 'traces');
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const nameOf = (path: string): string => path.split(sep).at(-1) ?? '';
  const found =
    names.find((path) => nameOf(path) === `${named}.jsonl`) ??
    names.find((path) => nameOf(path).startsWith(`.${named}.jsonl.`));
  return found === undefined ? null : readFile(join(folder, found), 'utf8');
}
