import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { RestartPolicy } from '@calls/local-stack/process/restart-policy';
import type { Reporter } from '@calls/local-stack/reporter';
import { startStack, type Stack } from '@calls/local-stack/stack';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { silentLogger } from '@calls/foundation/logger';
import { openStore } from '@calls/store/store';
import { LIFTED_LIMITS } from '../support/lifted-limits.ts';
import { newAccount } from '../support/new-account.ts';
import { findStackPorts, testEnvironment } from '../support/start-stack.ts';
import { CallbackLedger } from './callback-ledger.ts';
import type { ChaosOptions } from './chaos-options.ts';

/** Unlimited restarts. */
const RESTART: RestartPolicy = {
  firstDelayMs: 500,
  maxDelayMs: 2000,
  maxRestarts: Number.MAX_SAFE_INTEGER,
  stableMs: 10_000,
};
/** Any two of three workers have room for all calls. */
const CAPACITY_SHARE = 0.7;
/** No rate limits, and more free time than the calls use. */
const LIMITS = {
  SCALE: LIFTED_LIMITS.SCALE,
  FREE: { ...LIFTED_LIMITS.SCALE, freeMinutes: 1_000_000 },
};
const FIRST_CALLBACK_RETRY_MS = 300;
const REFUSED_CALLBACKS = 0.05;

/** The system with all its processes, the AI endpoints and the customer's server. */
export interface ChaosStack extends AsyncDisposable {
  readonly stack: Stack;
  /** API key of an account with free time. */
  readonly freeKey: string;
  readonly ledger: CallbackLedger;
}

export async function startChaosStack(
  options: ChaosOptions,
  { random, reporter }: { random: () => number; reporter: Reporter },
): Promise<ChaosStack> {
  await using undo = new AsyncDisposableStack();
  const dataDir =
    options.dataDir === null
      ? await mkdtemp(join(tmpdir(), 'calls-chaos-'))
      : existingFolder(options.dataDir);
  if (options.dataDir === null) undo.defer(() => rm(dataDir, { recursive: true, force: true }));
  const ledger = undo.use(await CallbackLedger.start(() => random() < REFUSED_CALLBACKS));
  const standIn = undo.use(
    await startAiStandIn({ sttDelayMs: 50, llmFirstTokenMs: 50, ttsFirstAudioMs: 50 }),
  );
  const { baseUrl } = standIn;
  const stack = undo.use(
    await startStack({
      dataDir,
      ports: await findStackPorts(options.size),
      size: options.size,
      overrides: {},
      env: {
        ...testEnvironment(),
        PLAN_LIMITS: JSON.stringify(LIMITS),
        LOG_LEVEL: 'info',
        MEDIA_CAPACITY: String(Math.ceil(options.calls * CAPACITY_SHARE) + 2),
        CALL_TRACES: 'false',
        OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
        WEBHOOK_RETRY_MS: String(FIRST_CALLBACK_RETRY_MS),
        STT_BASE_URL: baseUrl,
        LLM_BASE_URL: baseUrl,
        LLM_MODEL: 'stand-in',
        TTS_BASE_URL: baseUrl,
      },
      restart: RESTART,
      reporter,
      signal: new AbortController().signal,
      onGivenUp: (name) => {
        throw new Error(`${name} stopped; its log is in ${dataDir}`);
      },
    }),
  );
  const freeKey = await addFreeAccount(stack.servers.databaseUrl);
  const owned = undo.move();
  return { stack, freeKey, ledger, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function addFreeAccount(databaseUrl: string): Promise<string> {
  await using store = openStore({ url: databaseUrl, name: 'chaos', poolSize: 1, log: silentLogger });
  return (await newAccount(store.db, { plan: 'FREE' })).key;
}

function existingFolder(folder: string): string {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  return path;
}
