import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/**
 * Finds the trace of a call in a folder of objects, including an unfinished one; null if there is none. `named`
 * may be a file instead of a call id.
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
