import { afterAll, describe } from '@jest/globals';
import type { Stack } from '@calls/local-stack/stack';
import { newAccount } from '../support/new-account.ts';
import { startTestStack } from '../support/start-stack.ts';
import { createServiceAccount } from '../support/tts-stand-ins/account.ts';
import { startTtsStandIns } from '../support/tts-stand-ins/start-tts-stand-ins.ts';
import { describeCallCommands } from './shared-stack/call-commands.ts';
import { describeProviderVoice, PROVIDER_KEY } from './shared-stack/provider-voice.ts';
import { describeRestApi } from './shared-stack/rest-api.ts';
import { describeSimulatedCallers } from './shared-stack/simulated-callers.ts';
import { openTestStore } from '../support/test-store.ts';

const standIns = await startTtsStandIns({
  apiKey: PROVIDER_KEY,
  publicKeyPem: createServiceAccount().publicKeyPem,
});
/** Tests without special requirements share one stack. Each part uses its own account. */
const stack = await startTestStack({
  env: { TTS_PROVIDER1_BASE_URL: standIns.httpUrl, OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' },
});
const store = openTestStore(stack.servers.databaseUrl);
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  await standIns[Symbol.asyncDispose]();
});

/** The stack with the key of a new account. */
async function asNewAccount(): Promise<Stack> {
  const { key } = await newAccount(store.db, { plan: 'SCALE' });
  return { ...stack, developmentKey: key };
}

describe('the typed client', () => describeRestApi(asNewAccount));
describe('commands to a call', () => describeCallCommands(asNewAccount));
describe('simulated callers', () => describeSimulatedCallers(asNewAccount));
describe('provider voices', () => describeProviderVoice(asNewAccount, () => standIns));
