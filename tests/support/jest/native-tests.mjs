import { createRequire, flushCompileCache, registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { cpuTimeMs } from '../../../scripts/cpu-time.mjs';
import { useBundles } from './bundled-processes.mjs';

const require = createRequire(import.meta.url);
const circus = join(dirname(require.resolve('jest-circus')), 'jestAdapterInit.js');
const globalsUrl = new URL('globals.mjs', import.meta.url).href;
const SAVE_EVERY_MS = 20_000;
/** Includes the start of the servers that the tests of a file share. */
const LOAD_LIMIT_MS = 180_000;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: globalsUrl, shortCircuit: true } : next(specifier, context),
});
const { setGlobals } = await import('./globals.mjs');
useBundles();

/**
 * Runs a test file with jest-circus and the module loader of Node.js. Node.js strips the types, and imported modules
 * load once per Jest worker instead of once per file, which is most of the duration of short files.
 */
export default async function runNatively(
  globalConfig,
  config,
  environment,
  runtime,
  testPath,
  sendMessageToJest,
) {
  const startedMs = cpuTimeMs();
  const { initialize, runAndTransformResultsToJestFormat } = freshCircus();
  await initialize({
    config,
    environment,
    globalConfig,
    localRequire: require,
    parentProcess: process,
    runtime,
    sendMessageToJest,
    setGlobalsForRuntime: (globals) =>
      setGlobals({ ...globals, jest: runtime.jestGlobals.jestObjectFor(testPath) }),
    testPath,
  });
  const late = after(LOAD_LIMIT_MS, 'late', { ref: false });
  const loaded = await Promise.race([import(pathToFileURL(testPath).href), late]);
  if (loaded === 'late') throw new Error(`the file did not load within ${LOAD_LIMIT_MS} ms`);
  const result = await runAndTransformResultsToJestFormat({ config, globalConfig, testPath });
  saveCompiledModules();
  return { ...result, cpuMs: cpuTimeMs() - startedMs };
}

/** The tests, hooks and time limits of jest-circus are module state and properties of the global object. */
function freshCircus() {
  delete require.cache[circus];
  for (const name of ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL']) delete globalThis[Symbol.for(name)];
  return require(circus);
}

// Kills the worker at its exit, because Jest waits only 500 ms, which is less than a worker needs to free its heap.
if (process.send) process.once('exit', () => process.kill(process.pid, 'SIGKILL'));

let savedMs = 0;

/** Saves the compile cache periodically, because worker processes do not exit in the way that saves it. */
function saveCompiledModules() {
  if (performance.now() - savedMs < SAVE_EVERY_MS) return;
  flushCompileCache();
  savedMs = performance.now();
}
