import { join } from 'node:path';
import { build } from 'vite';
import { buildSdk } from '../../packages/client/build.mjs';
import { precompress } from '../../scripts/precompress.mjs';

/** Builds the console into `dist/`, and the browser SDK and the widget for other pages into `dist/sdk/`. */
const configFile = join(import.meta.dirname, 'vite.config.mjs');

await build({ configFile });
const sdkFolder = join(import.meta.dirname, 'dist/sdk');
await buildSdk(sdkFolder, ['calls-client.js', 'calls-widget.js']);
await precompress(sdkFolder);
