import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Smaller ones gain nothing. */
const MIN_COMPRESSED_BYTES = 1024;
const COMPRESSIBLE = /\.(?:js|css|html|svg|json)$/u;

/** Puts `<file>.br` and `<file>.gz` beside what compresses well: the server only picks one. */
function precompressed() {
  let folder = '';
  return {
    name: 'precompressed',
    apply: 'build',
    configResolved: (config) => {
      folder = resolve(config.root, config.build.outDir);
    },
    writeBundle: async () => {
      const names = await readdir(folder, { recursive: true });
      await Promise.all(
        names.filter((name) => COMPRESSIBLE.test(name)).map((name) => compress(join(folder, name))),
      );
    },
  };
}

async function compress(path) {
  const content = await readFile(path);
  if (content.length < MIN_COMPRESSED_BYTES) return;
  // 11, the most, takes ten times as long for 2 % less.
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  await Promise.all([
    promisify(brotliCompress)(content, { params }).then((bytes) => writeFile(`${path}.br`, bytes)),
    promisify(gzip)(content, { level: 9 }).then((bytes) => writeFile(`${path}.gz`, bytes)),
  ]);
}

/** For work on the console itself: `npx vite services/console` beside a running `npm start`. */
const service = process.env.PUBLIC_URL ?? 'http://localhost:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), precompressed()],
  server: { proxy: { '/api': service, '/console': service, '/docs': service, '/sdk': service } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Those have light-dark(); for older ones it would be rewritten to something that needs `color-scheme` in the same file.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Pages are allowed no data: scripts, and sizes are told by what is measured.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
});
