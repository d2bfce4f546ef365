import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { wasInterrupted } from './child-processes.mjs';
import { cacheFolder } from './host.mjs';
import { SetupError } from './setup-error.mjs';

const POLL_MS = 200;

/**
 * Runs `work` under the set-up lock of this checkout, or of another folder. Takes over a lock if the process that held
 * it has ended.
 */
export async function withSetupLock(work, { folder = cacheFolder, what = 'of this checkout' } = {}) {
  const path = join(folder, 'setup.lock');
  requireWritable(folder);
  let waiting = false;
  while (!tryTake(path)) {
    if (!holderIsAlive(path)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!waiting) console.log(`  another set-up ${what} is running; waiting for it`);
    waiting = true;
    if (wasInterrupted()) throw new SetupError('interrupted');
    await delay(POLL_MS);
  }
  try {
    await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function requireWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new SetupError(
      `${folder} can't be written by this user, and set-up is not complete: ${error.message}`,
    );
  }
}

function tryTake(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function holderIsAlive(path) {
  try {
    process.kill(Number(readFileSync(path, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
