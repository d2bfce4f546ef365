import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { SetupError } from '../setup-error.mjs';
import { runStep } from '../step.mjs';
import { mediasoupFolder, mediasoupVersion, RECIPE_FOLDER } from './paths.mjs';
import { unitsOf, unitText } from './units.mjs';

const DTLS = 'src/RTC/DtlsTransport.cpp';

/** Builds the worker of mediasoup's package with Debian's libraries, which must be there. Resolves to the binary. */
export async function buildWorker(folder) {
  prepareBuild(folder, join(mediasoupFolder, 'worker'));
  await runStep({
    title: `building mediasoup's worker ${mediasoupVersion()} (once; takes some minutes)`,
    log: 'mediasoup-build',
    command: 'make',
    args: [
      `--jobs=${availableParallelism()}`,
      `--directory=${folder}`,
      `--makefile=${join(RECIPE_FOLDER, 'Makefile')}`,
    ],
  });
  return join(folder, 'mediasoup-worker');
}

/** Writes the units into the folder. Links name what they include, because Make cannot handle paths with spaces. */
export function prepareBuild(folder, worker) {
  const read = (path) => readFileSync(join(worker, path), 'utf8');
  mkdirSync(folder, { recursive: true });
  symlinkSync(worker, join(folder, 'worker'));
  symlinkSync(join(RECIPE_FOLDER, 'include'), join(folder, 'include'));
  writeFileSync(join(folder, 'DtlsTransport.cpp'), patchedDtls(read(DTLS)));
  const resolve = (path) => (path === DTLS ? 'DtlsTransport.cpp' : `worker/${path}`);
  unitsOf(read('meson.build'), read('deps/libwebrtc/meson.build')).forEach((sources, i) =>
    writeFileSync(join(folder, `unit-${i}.cpp`), unitText(sources, resolve)),
  );
}

/**
 * Debian's OpenSSL knows kernel TLS and asks the output BIO whether the kernel sends. The worker's callback answers yes
 * to all that it doesn't know, as it takes the return phase of an operation for another operation: OpenSSL then goes
 * without a write buffer and the worker dies at the first handshake.
 */
export function patchedDtls(source) {
  const faulty = '(operationType == BIO_CB_RETURN)';
  if (source.split(faulty).length !== 2) throw new SetupError(`${DTLS} is not the one that the patch is for`);
  return source.replace(faulty, '((operationType & BIO_CB_RETURN) != 0)');
}
