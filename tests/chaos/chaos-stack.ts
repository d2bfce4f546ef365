import type { RestartPolicy } from '@calls/local-stack/process/restart-policy';
import type { Stack } from '@calls/local-stack/stack';
import { silentLogger } from '@calls/foundation/logger';
import { openStore } from '@calls/store/store';
import { LIFTED_LIMITS } from '../support/lifted-limits.ts';
import { startLoadStack } from '../support/load-stack.ts';
import { newAccount } from '../support/new-account.ts';
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

export async function startChaosStack(options: ChaosOptions, random: () => number): Promise<ChaosStack> {
  await using undo = new AsyncDisposableStack();
  const ledger = undo.use(await CallbackLedger.start(() => random() < REFUSED_CALLBACKS));
  const { stack } = undo.use(
    await startLoadStack({
      dataDir: options.dataDir,
      size: options.size,
      env: {
        PLAN_LIMITS: JSON.stringify(LIMITS),
        LOG_LEVEL: 'info',
        MEDIA_CAPACITY: String(Math.ceil(options.calls * CAPACITY_SHARE) + 2),
        CALL_TRACES: 'false',
        OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
        WEBHOOK_RETRY_MS: String(FIRST_CALLBACK_RETRY_MS),
      },
      restart: RESTART,
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
