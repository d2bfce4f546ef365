import { join } from 'node:path';
import { defineConfig } from 'vite';

/** Bundles everything into one ES module, for pages without a build step. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    // License notices of the bundled libraries.
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    target: 'es2023',
    lib: {
      entry: join(import.meta.dirname, 'src/index.ts'),
      formats: ['es'],
      fileName: () => 'calls-client.js',
    },
    // Vite does not minify white space of libraries by default; this file is for pages.
    rolldownOptions: { output: { minify: true } },
    reportCompressedSize: false,
  },
});
