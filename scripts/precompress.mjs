import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Smaller files gain nothing. */
const MIN_COMPRESSED_BYTES = 1024;
const COMPRESSIBLE = /\.(?:js|css|html|svg|json|py)$/u;

/** Writes `<file>.br` and `<file>.gz` beside each file of the folder that compresses well: the server only picks one. */
export async function precompress(folder) {
  const names = await readdir(folder, { recursive: true });
  await Promise.all(
    names.filter((name) => COMPRESSIBLE.test(name)).map((name) => compress(join(folder, name))),
  );
}

async function compress(path) {
  const content = await readFile(path);
  if (content.length < MIN_COMPRESSED_BYTES) return;
  const params = {
    // 2.5 s of processor time for the console instead of 0.3 s, for 7 % less on every first load.
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  await Promise.all([
    promisify(brotliCompress)(content, { params }).then((bytes) => writeFile(`${path}.br`, bytes)),
    promisify(gzip)(content, { level: 9 }).then((bytes) => writeFile(`${path}.gz`, bytes)),
  ]);
}
