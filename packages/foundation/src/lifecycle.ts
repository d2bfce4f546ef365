import { ConfigError, readEnvironment, type Environment, type EnvReader } from './env-reader.ts';
import type { Logger } from './logger.ts';
import { AppError, reasonsOf, toError } from './errors.ts';
import { endOwnerOf } from './unhandled-rejections.ts';

/** A component is logged when it takes this much longer to stop than it may. */
const SLOW_STOP_MS = 3000;

/** Open components, disposed in reverse order of registration. A failure does not prevent the others from being disposed. */
export class Disposables implements AsyncDisposable {
  readonly #components: { name: string; dispose: () => PromiseLike<void> | void; mayTakeMs: number }[] = [];
  readonly #log: Logger;
  #done: Promise<void> | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Registers `component` and returns it. `mayTakeMs`: how long it may take to stop. */
  own<T extends AsyncDisposable | Disposable>(name: string, component: T, mayTakeMs = 0): T {
    const dispose = (): PromiseLike<void> | void =>
      Symbol.asyncDispose in component ? component[Symbol.asyncDispose]() : component[Symbol.dispose]();
    this.add(name, dispose, mayTakeMs);
    return component;
  }

  add(name: string, dispose: () => PromiseLike<void> | void, mayTakeMs = 0): void {
    this.#components.push({ name, dispose, mayTakeMs });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#done ??= this.#disposeAll();
    return this.#done;
  }

  async #disposeAll(): Promise<void> {
    for (const { name, dispose, mayTakeMs } of this.#components.reverse()) {
      const slow = setTimeout(() => {
        this.#log.warn({ component: name }, 'component is slow to stop');
      }, mayTakeMs + SLOW_STOP_MS);
      try {
        await dispose();
      } catch (thrown) {
        this.#log.error({ component: name, err: toError(thrown) }, 'component failed to stop');
      }
      clearTimeout(slow);
    }
  }
}

/** A running part of a service: what it offers to other parts. Disposal stops it. */
export type Capability<Offer extends object> = Offer & AsyncDisposable;

/**
 * Starts a capability. `start` registers each component that it opens and returns what the capability offers. Disposal stops
 * the components in reverse order. If `start` fails, the components that are already open are stopped.
 */
export async function startCapability<Offer extends object>(
  log: Logger,
  start: (components: Disposables) => Offer | Promise<Offer>,
): Promise<Capability<Offer>> {
  const components = new Disposables(log);
  try {
    const offer = await start(components);
    return { ...offer, [Symbol.asyncDispose]: () => components[Symbol.asyncDispose]() };
  } catch (thrown) {
    await components[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** The message names the variable that operators must check, and every cause. */
export class UnusableVariableError extends AppError {
  constructor(variable: string, cause: unknown) {
    super('unusable_variable', `${variable}: ${reasonsOf(cause)}`, { cause });
  }
}

/** Awaits `opening`, which depends on a variable. Rejects with an UnusableVariableError that names the variable. */
export async function openConfiguredBy<T>(variable: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (thrown) {
    throw new UnusableVariableError(variable, thrown);
  }
}

/** `readEnvironment` for this process: if there are issues, prints them without a stack trace and ends the process. */
export function readOwnConfig<Config>(env: Environment, read: (env: EnvReader) => Config): Config {
  try {
    return readEnvironment(env, read);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    process.stderr.write(`${thrown.message}\n`);
    return process.exit(1);
  }
}

const PARENT_EXITED = 'parent exited';
/** How long a start may take to complete after a signal. */
const STOPPED_START_LIMIT_MS = 1000;
/** Without the parent, no process waits for the stop, and the servers that the parent started have stopped as well. */
const PARENT_EXITED_STOP_LIMIT_MS = 8_000;

/**
 * Runs a service process: starts it, awaits SIGTERM, SIGINT, SIGHUP or the exit of a parent with an IPC channel,
 * disposes it within `stopLimitMs`, and exits. A second SIGINT ends the process at once. During the start, a signal
 * ends the process within a second. A failed start or an uncaught exception ends the process with code 1, as does the
 * parent's exit during the start. An unhandled rejection ends the call or request that it belongs to; during the start
 * it ends the process.
 */
export async function runProcess(options: {
  log: Logger;
  stopLimitMs: number;
  start: () => Promise<AsyncDisposable>;
}): Promise<void> {
  const { log } = options;
  const crash = (err: Error): void => {
    log.fatal({ err }, 'unexpected error; process exits');
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  let isStarted = false;
  process.on('unhandledRejection', (reason) => {
    if (isStarted) endOwnerOf(reason, log);
    else crash(toError(reason));
  });

  const stopRequested = new Promise<string>((resolve) => {
    // Supervisors repeat SIGTERM. SIGHUP: the terminal was closed.
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    // The next Ctrl-C ends the process.
    process.once('SIGINT', () => resolve('SIGINT'));
    process.once('disconnect', () => resolve(PARENT_EXITED));
  });
  // A start may wait long for a server. What it has opened so far needs no disposal.
  void stopRequested.then((reason) => {
    setTimeout(() => {
      if (isStarted) return;
      log.info({ reason }, 'stopped during startup');
      process.exit(0);
    }, STOPPED_START_LIMIT_MS);
  });
  const exitEarly = (): never => process.exit(1);
  process.once('disconnect', exitEarly);
  const service = await options.start().catch((thrown: unknown) => {
    log.fatal({ err: toError(thrown) }, 'failed to start; process exits');
    return process.exit(1);
  });
  isStarted = true;
  process.removeListener('disconnect', exitEarly);
  process.send?.({ type: 'ready' });
  const reason = await stopRequested;
  log.info({ reason }, 'stopping');
  const stopLimitMs = reason === PARENT_EXITED ? PARENT_EXITED_STOP_LIMIT_MS : options.stopLimitMs;
  const limit = setTimeout(() => {
    log.error({ stopLimitMs }, 'stop timed out; process exits');
    process.exit(1);
  }, stopLimitMs);
  await service[Symbol.asyncDispose]();
  clearTimeout(limit);
  log.info({}, 'stopped');
  process.exit(0);
}
