import { spawn } from 'node:child_process';

const KILL_AFTER_MS = 15_000;
const PARENT_CHECK_MS = 1000;
const live = new Set();
let interrupted = false;

/** Whether a signal asked this process to end. */
export function wasInterrupted() {
  return interrupted;
}

/**
 * `spawn` that forwards signals to the child. A terminal's Ctrl-C reaches the whole foreground group, so a child in the
 * group of this process receives it twice. A child with `detached: true` leads its own group; signals are sent to the
 * whole group, which is killed if it does not end.
 */
export function spawnTracked(command, args, options) {
  const child = spawn(command, args, options);
  const tracked = { child, group: options.detached === true };
  live.add(tracked);
  const exitCode = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal === null ? code : 1));
  }).finally(() => live.delete(tracked));
  return { child, exitCode };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => stopAll(signal));
}

/** Stops this process when its parent has ended, because npm does not forward signals and may be killed. */
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent && !interrupted) stopAll('SIGTERM');
}, PARENT_CHECK_MS).unref();

function stopAll(signal) {
  interrupted = true;
  for (const tracked of live) end(tracked, signal);
  if (live.size === 0) process.exit(130);
}

function end({ child, group }, signal) {
  if (!group) {
    child.kill(signal);
    return;
  }
  signalGroup(child.pid, signal);
  setTimeout(() => {
    if (child.exitCode === null && child.signalCode === null) signalGroup(child.pid, 'SIGKILL');
  }, KILL_AFTER_MS).unref();
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has ended in the meantime.
  }
}
