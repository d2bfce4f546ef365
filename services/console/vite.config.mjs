import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from '../../scripts/precompress.mjs';

/** Compresses the build output. */
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

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), precompressed()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The first versions that support light-dark(). For older ones, Vite would replace it by code that needs
    // `color-scheme` in the same file.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The Content-Security-Policy of the pages forbids data: scripts.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Combines small modules: otherwise each module that many pages share is a response of its own, which consists
        // mostly of headers. Modules with style sheets stay separate, because the order of the sheets matters.
        codeSplitting: {
          groups: [
            { name: 'shared', test: /console\/src\/(?:api\/|components\/(?:states|time|time-format)\.)/u },
          ],
        },
      },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
});
