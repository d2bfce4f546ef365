import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a model folder. */
export interface ModelFiles {
  dir: string;
  names: readonly string[];
}

/**
 * The folder itself if it contains an ONNX file, or else its only subfolder that does (archives contain a folder).
 * Undefined if there is none.
 */
export function findModelFiles(dir: string): ModelFiles | undefined {
  if (!isFolder(dir)) return undefined;
  const names = readdirSync(dir).sort();
  if (names.some(isOnnx)) return { dir, names };
  const inside = names
    .map((name) => join(dir, name))
    .filter(isFolder)
    .map((path) => ({ dir: path, names: readdirSync(path).sort() }))
    .filter((folder) => folder.names.some(isOnnx));
  return inside.length === 1 ? inside[0] : undefined;
}

/** Path of the ONNX file with `part` in its name; a quantised one, which is faster, if there are several. */
export function onnxFile({ dir, names }: ModelFiles, part: RegExp): string | undefined {
  const found = names.filter((name) => isOnnx(name) && part.test(name));
  const name = found.find((candidate) => candidate.includes('int8')) ?? found[0];
  return name === undefined ? undefined : join(dir, name);
}

/** Path of a file or folder; undefined if missing. */
export function otherFile({ dir, names }: ModelFiles, pattern: RegExp): string | undefined {
  const name = names.find((candidate) => pattern.test(candidate));
  return name === undefined ? undefined : join(dir, name);
}

/** Names for a message, truncated for a large folder. */
export function listed(names: readonly string[]): string {
  if (names.length === 0) return 'nothing';
  return names.length > 12
    ? `${names.slice(0, 12).join(', ')} and ${names.length - 12} more`
    : names.join(', ');
}

export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function isOnnx(name: string): boolean {
  return name.endsWith('.onnx');
}
