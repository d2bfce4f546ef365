import { join } from 'node:path';
import { precompress } from '../../scripts/precompress.mjs';
import { buildSite } from './src/build.ts';

/** Builds the documentation site from `docs/` into `dist/`. */
const dist = join(import.meta.dirname, 'dist');

await buildSite({ docs: join(import.meta.dirname, '../../docs'), dist });
await precompress(dist);
