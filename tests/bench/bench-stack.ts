import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Call } from '@calls/api-contract/rest/call';
import { silentReporter } from '@calls/local-stack/reporter';
import { startStack, type Stack } from '@calls/local-stack/stack';
import type { StackPorts } from '@calls/local-stack/stack-size';
import { startAiStandIn, type AiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { LIFTED_LIMITS_ENV } from '../support/lifted-limits.ts';
import { findStackPorts, testEnvironment } from '../support/start-stack.ts';
import type { BenchOptions } from './bench-options.ts';
import { mediumOf } from './callers/medium-of.ts';

const REPLIES = [
  'Certainly, I have made a note of that for you. What else would you like to know?',
  'We are open every day from nine in the morning until ten in the evening.',
  'That is no trouble at all, and thank you for telling me. Is there anything else?',
];

/** The whole system and simulated AI providers, each in its own process. */
export interface BenchStack extends AsyncDisposable {
  readonly stack: Stack;
  readonly standIn: AiStandIn;
  readonly workerMetricsPort: number;
  /** Resolves to the URL to join the call. */
  createCall(): Promise<string>;
}

/** `extra` overrides variables and ports that all benches use. */
export async function startBenchStack(
  options: BenchOptions,
  extra: {
    env?: Readonly<Record<string, string>>;
    ports?: Partial<StackPorts>;
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
  const ports = { ...(await findStackPorts()), ...extra.ports };
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
    createCall: () => createCall(stack, options),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function createCall(stack: Stack, options: BenchOptions): Promise<string> {
  const response = await fetch(new URL('/api/calls', stack.apiUrl), {
    method: 'POST',
    headers: { 'X-API-Key': stack.developmentKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      systemPrompt: 'You are the receptionist of a small hotel by the sea.',
      voice: 'alloy',
      recordingEnabled: options.recording,
      medium: mediumOf(options).spec,
    }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok)
    throw new Error(`creating a call failed with ${response.status}: ${await response.text()}`);
  const { joinUrl } = (await response.json()) as Call;
  if (joinUrl === null) throw new Error('the call has no URL to join');
  return joinUrl;
}
