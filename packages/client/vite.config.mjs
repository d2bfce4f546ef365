import { join } from 'node:path';
import { defineConfig } from 'vite';

/** Everything in one ES module, for pages that have no build step. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    // The notices of the libraries in the file.
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    target: 'es2023',
    lib: {
      entry: join(import.meta.dirname, 'src/index.ts'),
      formats: ['es'],
      fileName: () => 'calls-client.js',
    },
    // Libraries leave white space in, as others build on them; pages don't.
    rolldownOptions: { output: { minify: true } },
    reportCompressedSize: false,
  },
});
