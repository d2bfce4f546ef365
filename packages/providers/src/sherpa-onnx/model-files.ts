import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a folder that holds a model. */
export interface ModelFiles {
  dir: string;
  names: readonly string[];
}

/**
 * The folder itself where it holds an ONNX file, or its only subfolder that does (models come as archives with a folder in
 * them). Undefined where there is none.
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

/** The path of the ONNX file whose name has `part` in it; the quantised one, which is faster, where there are several. */
export function onnxFile({ dir, names }: ModelFiles, part: RegExp): string | undefined {
  const found = names.filter((name) => isOnnx(name) && part.test(name));
  const name = found.find((candidate) => candidate.includes('int8')) ?? found[0];
  return name === undefined ? undefined : join(dir, name);
}

/** The path of a file or folder; undefined where it isn't there. */
export function otherFile({ dir, names }: ModelFiles, pattern: RegExp): string | undefined {
  const name = names.find((candidate) => pattern.test(candidate));
  return name === undefined ? undefined : join(dir, name);
}

/** Names for a message: all of a small folder, the first of a large one. */
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
