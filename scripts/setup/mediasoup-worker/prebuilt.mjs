import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectNode } from '../host.mjs';
import { runStep } from '../step.mjs';
import { mediasoupFolder, mediasoupVersion } from './paths.mjs';

const LIMIT_SECONDS = 20;

/**
 * Downloads mediasoup's prebuilt worker with the package's own script, from its release page or from
 * MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL. Resolves to the binary.
 */
export async function downloadWorker(folder) {
  mkdirSync(folder, { recursive: true });
  await runStep({
    title: `downloading mediasoup's worker ${mediasoupVersion()}`,
    log: 'mediasoup-download',
    cwd: folder,
    command: 'timeout',
    args: [`${LIMIT_SECONDS}s`, projectNode(), join(mediasoupFolder, 'npm-scripts.mjs'), 'postinstall'],
    // Without Python, the script cannot start a build, which would download the sources of libraries.
    env: { PYTHON: '/bin/false', MEDIASOUP_WORKER_BIN: '', MEDIASOUP_LOCAL_DEV: '' },
  });
  return join(folder, 'worker/out/Release/mediasoup-worker');
}
