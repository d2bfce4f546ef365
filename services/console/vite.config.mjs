import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from '../../scripts/precompress.mjs';

/** Compresses what was built. */
function precompressed() {
  let folder = '';
  return {
    name: 'precompressed',
    apply: 'build',
    configResolved: (config) => {
      folder = resolve(config.root, config.build.outDir);
    },
    writeBundle: () => precompress(folder),
  };
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
