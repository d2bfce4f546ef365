import { defineConfig } from 'vite';

/** One self-contained ES module, for pages without a build step. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    target: 'es2023',
    lib: { entry: 'src/index.ts', formats: ['es'], fileName: () => 'calls-client.js' },
    rolldownOptions: { output: { comments: false } },
    reportCompressedSize: true,
  },
});
