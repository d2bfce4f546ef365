import { spawnSync } from 'node:child_process';
import { accessSync, closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { wasInterrupted } from './child-processes.mjs';
import { cacheFolder } from './host.mjs';
import { SetupError } from './setup-error.mjs';

const POLL_MS = 200;

/**
 * Runs `work` under the set-up lock of this checkout, or of another folder. The kernel releases the lock when the process
 * that holds it ends. Earlier versions would wait for a file `setup.lock`, so it has another name.
 */
export async function withSetupLock(work, { folder = cacheFolder, what = 'of this checkout' } = {}) {
  const file = openLockFile(folder);
  try {
    for (let waiting = false; !tryLock(file); waiting = true) {
      if (!waiting) console.log(`  another set-up ${what} is running; waiting for it`);
      if (wasInterrupted()) throw new SetupError('interrupted');
      await delay(POLL_MS);
    }
    await work();
  } finally {
    closeSync(file);
  }
}

function openLockFile(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    // Another user may have created the file, so it is opened only for reading.
    return openSync(join(folder, 'setup.flock'), constants.O_RDONLY | constants.O_CREAT, 0o644);
  } catch (error) {
    throw new SetupError(`${folder} cannot be written, and set-up is not complete: ${error.message}`);
  }
}

/** Locks the open file, which this process shares with `flock`. */
function tryLock(file) {
  const { status, stderr, error } = spawnSync('flock', ['-n', '3'], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', file],
  });
  if (status === 0) return true;
  if (status === 1) return false;
  throw new SetupError(`flock (package util-linux) failed: ${error?.message ?? stderr}`);
}
