import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { silentReporter } from '@calls/local-stack/reporter';
import { startStack, type Stack, type StackOptions } from '@calls/local-stack/stack';
import type { StackPorts } from '@calls/local-stack/stack-size';
import type { StandInControl, StandInDelays } from '@calls/testkit/ai-stand-in/behaviour';
import { startAiStandIn, type AiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { LIFTED_LIMITS_ENV } from './lifted-limits.ts';
import { findStackPorts, testEnvironment } from './start-stack.ts';

export interface LoadStackOptions extends Partial<
  Pick<StackOptions, 'size' | 'overrides' | 'restart' | 'moduleFile' | 'startEnv'>
> {
  /** Folder that retains data and logs; null for a temporary one. */
  dataDir: string | null;
  /** Delays of the simulated engines; default: 50 ms each. */
  delays?: Partial<StandInDelays>;
  /** Behaviour of the simulated engines. */
  control?: StandInControl;
  /** Ports to use instead of free ones. */
  ports?: Partial<StackPorts>;
  /** Overrides variables that all load stacks use. */
  env: Readonly<Record<string, string>>;
}

/** The whole system without rate limits, and simulated AI engines, each in its own process. */
export interface LoadStack extends AsyncDisposable {
  readonly stack: Stack;
  readonly standIn: AiStandIn;
}

/** Starts the system for benches, drills and chaos. Processes that end are not restarted by default. */
export async function startLoadStack({
  dataDir,
  delays = { sttDelayMs: 50, llmFirstTokenMs: 50, ttsFirstAudioMs: 50 },
  control,
  ports,
  env,
  ...options
}: LoadStackOptions): Promise<LoadStack> {
  await using undo = new AsyncDisposableStack();
  const folder = dataDir === null ? await mkdtemp(join(tmpdir(), 'calls-load-')) : resolve(dataDir);
  await mkdir(folder, { recursive: true });
  if (dataDir === null) undo.defer(() => rm(folder, { recursive: true, force: true }));
  const standIn = undo.use(await startAiStandIn(delays));
  if (control) await standIn.control(control);
  const stack = undo.use(
    await startStack({
      dataDir: folder,
      ports: { ...(await findStackPorts(options.size)), ...ports },
      overrides: {},
      env: { ...testEnvironment(), ...LIFTED_LIMITS_ENV, ...standIn.engineEnv, ...env },
      restart: 'never',
      reporter: silentReporter,
      signal: new AbortController().signal,
      onGivenUp: (name) => {
        throw new Error(`${name} stopped; its log is in ${folder}`);
      },
      ...options,
    }),
  );
  const owned = undo.move();
  return { stack, standIn, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
