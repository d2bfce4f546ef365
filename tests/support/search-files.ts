import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Finds these texts in the files of a folder, in UTF-8 or UTF-16. Returns `text: path` for each match. */
export async function searchFiles(folder: string, texts: readonly string[]): Promise<string[]> {
  const wanted = texts.flatMap((text) =>
    (['utf8', 'utf16le'] as const).map((encoding) => ({ text, bytes: Buffer.from(text, encoding) })),
  );
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // The file may have been deleted meanwhile.
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    for (const { text, bytes } of wanted) {
      if (content.includes(bytes)) found.push(`${text}: ${relative(folder, path)}`);
    }
  }
  return found;
}
