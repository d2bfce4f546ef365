import { closeSync, mkdirSync, openSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnTracked, wasInterrupted } from './child-processes.mjs';
import { cacheFolder, repository } from './host.mjs';
import { SetupError } from './setup-error.mjs';

const REDRAW_MS = 200;
const STILL_RUNNING_MS = 15_000;
const SHOWN_LINES = 25;
/** With less, the end of the output may be missing. */
const MIN_FREE_BYTES = 1024 * 1024;

/**
 * Runs a program that takes some time: shows `title` and the duration, and writes the output to
 * `.cache/logs/<log>.log`. If the program fails, throws a SetupError with the end of the output.
 */
export async function runStep({ title, log, command, args, env = {}, cwd = repository }) {
  const logPath = join(cacheFolder, 'logs', `${log}.log`);
  const logFd = openLog(title, logPath);
  const progress = showProgress(title);
  let code;
  try {
    const { exitCode } = spawnTracked(command, args, {
      cwd,
      detached: true,
      stdio: ['ignore', logFd, logFd],
      env: { ...process.env, ...env },
    });
    code = await exitCode;
  } catch (error) {
    progress.finish('failed');
    throw new SetupError(`${title}: ${command} could not be started: ${error.message}`);
  } finally {
    closeSync(logFd);
  }
  const outcome = wasInterrupted() ? 'interrupted' : 'failed';
  progress.finish(code === 0 ? 'done' : outcome);
  if (wasInterrupted()) throw new SetupError('interrupted');
  if (code !== 0)
    throw new SetupError(
      `${title} failed (code ${code})${fullDisk()}; the end of ${logPath}:\n${lastLines(logPath)}`,
    );
}

function openLog(title, path) {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'w');
  } catch (error) {
    throw new SetupError(`${title}: the log cannot be written: ${error.message}`);
  }
}

function fullDisk() {
  const { bavail, bsize } = statfsSync(cacheFolder);
  return bavail * bsize < MIN_FREE_BYTES ? `, and the disk of ${cacheFolder} is full` : '';
}

function showProgress(title) {
  const startedMs = performance.now();
  const elapsed = () => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
  const terminal = process.stdout.isTTY === true;
  const draw = () => {
    if (terminal) process.stdout.write(`\r\u001b[K  ${title} … ${elapsed()}`);
    else process.stdout.write(`  ${title}: still running after ${elapsed()}\n`);
  };
  if (terminal) draw();
  else process.stdout.write(`  ${title} …\n`);
  const timer = setInterval(draw, terminal ? REDRAW_MS : STILL_RUNNING_MS);
  return {
    finish(outcome) {
      clearInterval(timer);
      process.stdout.write(`${terminal ? '\r\u001b[K' : ''}  ${title}: ${outcome} in ${elapsed()}\n`);
    },
  };
}

function lastLines(path) {
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split(/[\r\n]+/);
  return lines
    .slice(-SHOWN_LINES)
    .map((line) => `  ${line}`)
    .join('\n');
}
