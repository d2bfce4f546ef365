import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * A Jest environment without a VM context: tests run in the realm of the worker, where modules load once for all files.
 * Globals, `process.env` and the working directory are restored after each file.
 */
export default class NativeEnvironment {
  global = globalThis;
  fakeTimers = null;
  fakeTimersModern;
  moduleMocker = new ModuleMocker(globalThis);
  #globals;
  #env;

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  setup() {
    this.#globals = Object.getOwnPropertyDescriptors(globalThis);
    this.#env = { ...process.env };
    return Promise.resolve();
  }

  teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    if (this.#globals) restoreGlobals(this.#globals);
    if (this.#env) restoreEnv(this.#env);
    return Promise.resolve();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}

/** Symbols are not removed, because they are process-wide registries of libraries. */
function restoreGlobals(before) {
  for (const key of Object.getOwnPropertyNames(globalThis)) {
    const was = before[key];
    const now = Object.getOwnPropertyDescriptor(globalThis, key);
    if (!now.configurable) continue;
    if (was === undefined) delete globalThis[key];
    else if (now.value !== was.value || now.get !== was.get) Object.defineProperty(globalThis, key, was);
  }
  for (const key of Object.getOwnPropertyNames(before)) {
    if (!Object.hasOwn(globalThis, key)) Object.defineProperty(globalThis, key, before[key]);
  }
}

function restoreEnv(before) {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
}
