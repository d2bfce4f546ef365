import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { Request, Response } from 'express';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.map': 'application/json',
  '.py': 'text/x-python; charset=utf-8',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** Encodings of prebuilt files, smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];
const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

export interface BuiltFile {
  readonly mediaType: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

/** Output of a build in memory, by path within its folder (`/index.html`, `/assets/…`). */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

/** Null if the folder contains no build. */
export async function readBuiltFiles(directory: string): Promise<BuiltFiles | null> {
  let names: string[];
  try {
    names = await readdir(directory, { recursive: true });
  } catch (thrown) {
    if (Error.isError(thrown) && 'code' in thrown && thrown.code === 'ENOENT') return null;
    throw thrown;
  }
  const present = new Set(names);
  const files = new Map<string, BuiltFile>();
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

/** Sends the file in the smallest encoding that the client accepts, or 304 if the client has it. */
export function sendBuiltFile(request: Request, response: Response, file: BuiltFile): void {
  const encoding = ENCODINGS.find((each) => file.encoded[each] && request.acceptsEncodings(each) === each);
  response.set({ 'Content-Type': file.mediaType, ETag: file.etag, Vary: 'Accept-Encoding' });
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  if (encoding) response.set('Content-Encoding', encoding);
  response.end(encoding ? file.encoded[encoding] : file.plain);
}
