import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

/** Builds the console into `dist/`, and the browser SDK as one file that any page may load into `dist/sdk/`. */
const configFile = join(import.meta.dirname, 'vite.config.mjs');
const client = resolve(import.meta.dirname, '../../packages/client/src/index.ts');

await build({ configFile });
if (existsSync(client)) {
  await build({
    configFile,
    publicDir: false,
    build: {
      outDir: 'dist/sdk',
      lib: { entry: client, formats: ['es'], fileName: () => 'calls-client.js' },
    },
  });
}
