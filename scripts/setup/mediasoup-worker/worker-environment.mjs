import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { wasInterrupted } from '../child-processes.mjs';
import { installDebianPackages, missingPackages, requireInstallRights } from '../debian-packages.mjs';
import { SetupError } from '../setup-error.mjs';
import { withSetupLock } from '../setup-lock.mjs';
import { buildWorker } from './build.mjs';
import { isComplete, workerPaths } from './paths.mjs';
import { downloadWorker } from './prebuilt.mjs';

const RETRY_AFTER_MS = 24 * 3600 * 1000;
const CHECK_LIMIT_MS = 10_000;
/** The worker's exit code without mediasoup's JavaScript as its parent: proves that it runs on this machine. */
const RUNS_HERE = 41;

/**
 * The services' variables for mediasoup's worker: MEDIASOUP_WORKER_BIN, or WEBRTC_UNAVAILABLE with the reason.
 * Downloads a missing worker, or else builds it. If neither succeeds, this is not an error, and is not retried for a
 * day unless `retry` is set.
 */
export async function workerEnvironment({ retry }) {
  const given = process.env.MEDIASOUP_WORKER_BIN && resolve(process.env.MEDIASOUP_WORKER_BIN);
  if (given) {
    if (!runsHere(given))
      throw new SetupError(
        `MEDIASOUP_WORKER_BIN: ${given} is not a mediasoup worker that runs on this machine`,
      );
    return available({ binary: given });
  }
  const paths = workerPaths();
  if (isComplete(paths)) return available(paths);
  const before = readFailure(paths);
  if (before && !retry && !isWorthAnotherTry(before)) return unavailable(before.reason);
  try {
    await withSetupLock(() => obtain(paths), { folder: paths.root, what: 'of mediasoup’s worker' });
    return available(paths);
  } catch (error) {
    if (!(error instanceof SetupError) || wasInterrupted()) throw error;
    console.log(`\n${error.message}\n`);
    return unavailable(rememberFailure(paths));
  }
}

function available({ binary }) {
  return { MEDIASOUP_WORKER_BIN: binary };
}

function unavailable(reason) {
  console.log(`  No WebRTC calls; everything else works: ${reason}`);
  return { WEBRTC_UNAVAILABLE: reason };
}

async function obtain(paths) {
  // Another set-up may have installed it while this one waited.
  if (isComplete(paths)) return;
  // Remains of a killed set-up.
  for (const name of readdirSync(paths.root))
    if (/^(?:making|ready)-/.test(name)) rmSync(join(paths.root, name), { recursive: true });
  const folder = mkdtempSync(join(paths.root, 'making-'));
  try {
    const downloaded = await downloadWorker(join(folder, 'prebuilt')).catch(toUndefined);
    if (downloaded !== undefined && runsHere(downloaded)) return publish(downloaded, paths);
    requireInstallRights(missingPackages(['webrtc-build']));
    await installDebianPackages(['webrtc-build']);
    // A worker built earlier may lack only these packages.
    if (isComplete(paths)) return;
    const built = await buildWorker(join(folder, 'build'));
    if (!runsHere(built)) throw new SetupError(`mediasoup’s worker was built and doesn't run: ${built}`);
    publish(built, paths);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ignores the failure of a step, which the step has reported, because the worker can be built instead. */
function toUndefined(error) {
  if (!(error instanceof SetupError) || wasInterrupted()) throw error;
  return undefined;
}

/** Moves the complete folder into place atomically. */
function publish(binary, { root, folder, failure }) {
  const ready = mkdtempSync(join(root, 'ready-'));
  writeFileSync(join(ready, 'libraries'), `${librariesOf(binary).join('\n')}\n`);
  renameSync(binary, join(ready, 'mediasoup-worker'));
  rmSync(folder, { recursive: true, force: true });
  renameSync(ready, folder);
  rmSync(failure, { force: true });
}

function librariesOf(binary) {
  const listed = execFileSync('ldd', [binary], { encoding: 'utf8' });
  return [...listed.matchAll(/=> (\/\S+)/g)].map(([, path]) => path);
}

function runsHere(binary) {
  return spawnSync(binary, { env: {}, stdio: 'ignore', timeout: CHECK_LIMIT_MS }).status === RUNS_HERE;
}

function rememberFailure({ root, failure }) {
  const missing = missingPackages(['webrtc-build']);
  const reason =
    missing.length > 0
      ? `mediasoup's worker could not be downloaded, and to build it, ${missing.join(', ')} must be installed.`
      : "mediasoup's worker could be neither downloaded nor built; `npm run setup` tries again and says why.";
  try {
    mkdirSync(root, { recursive: true });
    writeFileSync(failure, JSON.stringify({ reason, missing, at: new Date().toISOString() }));
  } catch {
    // If nothing can be stored, the next start tries again.
  }
  return reason;
}

function readFailure({ failure }) {
  try {
    return JSON.parse(readFileSync(failure, 'utf8'));
  } catch {
    return undefined;
  }
}

/** True after a day, or when the missing packages have been installed. */
export function isWorthAnotherTry(
  { at, missing },
  nowMs = Date.now(),
  stillMissing = missingPackages(['webrtc-build']),
) {
  if (!(nowMs - Date.parse(at) < RETRY_AFTER_MS)) return true;
  return missing.length > 0 && stillMissing.length === 0;
}
