import { copyFileSync } from 'node:fs';
import { SetupError } from '../setup-error.mjs';
import { workerEnvironment } from './worker-environment.mjs';

/** `node install.mjs <file>`: copies mediasoup's worker there, for images. Fails if no worker is available. */
const [target] = process.argv.slice(2);
if (target === undefined) throw new SetupError('usage: install.mjs <file>');
const { MEDIASOUP_WORKER_BIN: binary } = await workerEnvironment({ retry: true });
if (binary === undefined) process.exitCode = 1;
else copyFileSync(binary, target);
