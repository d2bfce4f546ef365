import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generatePython } from '@calls/api-client/python';
import { build } from 'vite';
import { buildSdk } from '../../packages/client/build.mjs';
import { precompress } from '../../scripts/precompress.mjs';

/**
 * Builds the console into `dist/`, and into `dist/sdk/` the browser SDK and the widget for other pages, and the Python
 * client of the API.
 */
const configFile = join(import.meta.dirname, 'vite.config.mjs');

await build({ configFile });
const sdkFolder = join(import.meta.dirname, 'dist/sdk');
await buildSdk(sdkFolder, ['calls-client.js', 'calls-widget.js']);
await writeFile(join(sdkFolder, 'calls_api.py'), await generatePython());
await precompress(sdkFolder);
