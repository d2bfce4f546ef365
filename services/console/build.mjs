import { join } from 'node:path';
import { build } from 'vite';
import client from '../../packages/client/vite.config.mjs';

/** Builds the console into `dist/`, and the browser SDK as a single file for other pages into `dist/sdk/`. */
const configFile = join(import.meta.dirname, 'vite.config.mjs');

await build({ configFile });
await build({ configFile, publicDir: false, build: { ...client.build, outDir: 'dist/sdk' } });
