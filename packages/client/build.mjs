import { join, resolve } from 'node:path';
import { build } from 'vite';

const source = (name) => join(import.meta.dirname, 'src', name);

/** The published entry for React imports the SDK, so that an application contains it once. */
const sdkImport = {
  name: 'sdk-import',
  enforce: 'pre',
  resolveId: (specifier) =>
    specifier === './index.ts' ? { id: './calls-client.js', external: true } : undefined,
};

const ENTRIES = {
  /** One ES module without imports. */
  'calls-client.js': { entry: source('index.ts'), format: 'es' },
  /** A classic script, so that it finds its own element. */
  'calls-widget.js': { entry: source('widget/index.ts'), format: 'iife' },
  'calls-client-react.js': {
    entry: source('react.ts'),
    format: 'es',
    plugins: [sdkImport],
    external: ['react'],
  },
};

/** Builds these files of the SDK into `folder`. */
export async function buildSdk(folder, names, { sourcemap = false } = {}) {
  for (const [i, name] of names.entries()) {
    const { entry, format, plugins = [], external = [] } = ENTRIES[name];
    await build({
      root: import.meta.dirname,
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      plugins,
      build: {
        outDir: resolve(folder),
        emptyOutDir: i === 0,
        sourcemap,
        // License notices of the bundled libraries.
        ...(i === 0 && { license: { fileName: 'THIRD-PARTY-LICENSES.md' } }),
        target: 'es2023',
        lib: { entry, formats: [format], name: 'CallsWidget', fileName: () => name },
        // Vite does not minify white space of libraries by default; these files are for pages.
        rolldownOptions: { external, output: { minify: true } },
        reportCompressedSize: false,
      },
    });
  }
}

if (import.meta.main) await buildSdk('dist', Object.keys(ENTRIES), { sourcemap: true });
