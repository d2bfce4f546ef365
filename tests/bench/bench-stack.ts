import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallMedium } from '@calls/api-contract/rest/medium';
import { findFreePorts } from '@calls/local-stack/free-port';
import { silentReporter } from '@calls/local-stack/reporter';
import { startStack, type Stack } from '@calls/local-stack/stack';
import { startAiStandIn, type AiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { LIFTED_LIMITS_ENV } from '../support/lifted-limits.ts';
import { findStackPorts, testEnvironment } from '../support/start-stack.ts';
import type { BenchOptions } from './bench-options.ts';
import type { CreateCall } from './callers/caller-medium.ts';

const REPLIES = [
  'Certainly, I have made a note of that for you. What else would you like to know?',
  'We are open every day from nine in the morning until ten in the evening.',
  'That is no trouble at all, and thank you for telling me. Is there anything else?',
];

const HOST = '127.0.0.1';
/** SIP on the loopback interface only. */
const SIP_ENV = { SIP_LISTEN_ADDRESS: HOST, SIP_ADDRESS: HOST, OUTBOUND_ALLOW_PRIVATE: HOST };

/** The whole system and simulated AI providers, each in its own process. */
export interface BenchStack extends AsyncDisposable {
  readonly stack: Stack;
  readonly standIn: AiStandIn;
  readonly workerMetricsPort: number;
  readonly createCall: CreateCall;
}

/** `extra` overrides variables that all benches use. */
export async function startBenchStack(
  options: BenchOptions,
  extra: {
    env?: Readonly<Record<string, string>>;
    /** Replaces the new database. */
    databaseUrl?: string;
  } = {},
): Promise<BenchStack> {
  await using undo = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'calls-bench-'));
  undo.defer(() => rm(dataDir, { recursive: true, force: true }));
  const standIn = undo.use(
    await startAiStandIn({
      sttDelayMs: options.delays.sttMs,
      llmFirstTokenMs: options.delays.llmMs,
      ttsFirstAudioMs: options.delays.ttsMs,
    }),
  );
  await standIn.control({ llm: { replies: REPLIES } });
  const sip = options.medium === 'sip' ? await findFreePorts(1) : 0;
  const ports = { ...(await findStackPorts()), sip };
  const { baseUrl } = standIn;
  const stack = undo.use(
    await startStack({
      dataDir,
      ports,
      overrides: extra.databaseUrl === undefined ? {} : { databaseUrl: extra.databaseUrl },
      env: {
        ...testEnvironment(),
        ...LIFTED_LIMITS_ENV,
        LOG_LEVEL: 'warn',
        SPECULATION: String(options.speculation),
        MEDIA_CAPACITY: String(Math.ceil(options.calls * 1.2) + 1),
        // Workers accept all calls even when overloaded, so that the requested number is measured.
        OVERLOAD_DELAY_MS: '0',
        STT_BASE_URL: baseUrl,
        LLM_BASE_URL: baseUrl,
        LLM_MODEL: 'stand-in',
        TTS_BASE_URL: baseUrl,
        ...(options.medium === 'sip' && SIP_ENV),
        ...extra.env,
      },
      restart: 'never',
      reporter: silentReporter,
      signal: new AbortController().signal,
      onGivenUp: (name) => {
        throw new Error(`${name} stopped; its log is in ${dataDir}`);
      },
    }),
  );
  const owned = undo.move();
  return {
    stack,
    standIn,
    workerMetricsPort: ports.metrics + 1,
    createCall: (medium) => createCall(stack, options, medium),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function createCall(stack: Stack, options: BenchOptions, medium: CallMedium): Promise<Call> {
  const response = await fetch(new URL('/api/calls', stack.apiUrl), {
    method: 'POST',
    headers: { 'X-API-Key': stack.developmentKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      systemPrompt: 'You are the receptionist of a small hotel by the sea.',
      voice: 'alloy',
      recordingEnabled: options.recording,
      medium,
    }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok)
    throw new Error(`creating a call failed with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Call;
}
