import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.map': 'application/json',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** In which files may lie ready, the smallest first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];
const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

export interface ConsoleFile {
  readonly mediaType: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

/** The built console by the paths it is asked for (`/index.html`, `/assets/…`), in memory. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** Null where nothing was built there. */
export async function readConsoleFiles(directory: string): Promise<ConsoleFiles | null> {
  let names: string[];
  try {
    names = await readdir(directory, { recursive: true });
  } catch (thrown) {
    if (Error.isError(thrown) && 'code' in thrown && thrown.code === 'ENOENT') return null;
    throw thrown;
  }
  const present = new Set(names);
  const files = new Map<string, ConsoleFile>();
  await Promise.all(
    names.map(async (name) => {
      const mediaType = MEDIA_TYPES[extname(name)];
      if (mediaType === undefined) return;
      const plain = await readFile(join(directory, name));
      const encoded: Partial<Record<Encoding, Buffer>> = {};
      for (const encoding of ENCODINGS) {
        const packed = `${name}${SUFFIXES[encoding]}`;
        if (present.has(packed)) encoded[encoding] = await readFile(join(directory, packed));
      }
      const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
      files.set(`/${name.split(sep).join('/')}`, { mediaType, etag, plain, encoded });
    }),
  );
  return files.has('/index.html') ? files : null;
}
