import { findFreePorts } from '@calls/local-stack/free-port';
import { Api } from '../support/api.ts';
import { startLoadStack, type LoadStack } from '../support/load-stack.ts';
import { startSttStandIn } from '../support/stt-stand-in/start-stt-stand-in.ts';
import type { BenchOptions } from './bench-options.ts';
import type { CreateCall } from './callers/caller-medium.ts';

const REPLIES = [
  'Certainly, I have made a note of that for you. What else would you like to know?',
  'We are open every day from nine in the morning until ten in the evening.',
  'That is no trouble at all, and thank you for telling me. Is there anything else?',
];

const STT_API_KEY = 'key-of-the-bench';
const HOST = '127.0.0.1';
/** SIP on the loopback interface only. */
const SIP_ENV = { SIP_LISTEN_ADDRESS: HOST, SIP_ADDRESS: HOST, OUTBOUND_ALLOW_PRIVATE: HOST };

export interface BenchStack extends LoadStack {
  readonly workerMetricsPort: number;
  readonly createCall: CreateCall;
}

/** `env` overrides variables that all benches use. `databaseUrl`: replaces the new database. */
export async function startBenchStack(
  { calls, delays, medium, recording, speculation, interimMs, sttModel }: BenchOptions,
  { env, databaseUrl }: { env?: Readonly<Record<string, string>>; databaseUrl?: string } = {},
): Promise<BenchStack> {
  await using undo = new AsyncDisposableStack();
  const sttEnv =
    interimMs === null && sttModel === null
      ? {}
      : await startStreamingStt(
          undo,
          { delayMs: delays.sttMs, ...(interimMs !== null && { interimMs }) },
          sttModel,
        );
  const load = await startLoadStack({
    dataDir: null,
    delays: { sttDelayMs: delays.sttMs, llmFirstTokenMs: delays.llmMs, ttsFirstAudioMs: delays.ttsMs },
    control: { llm: { replies: REPLIES } },
    ports: { sip: medium === 'sip' ? await findFreePorts(1) : 0 },
    overrides: { databaseUrl },
    env: {
      LOG_LEVEL: 'warn',
      SPECULATION: String(speculation),
      MEDIA_CAPACITY: String(Math.ceil(calls * 1.2) + 1),
      // Workers accept all calls even when overloaded, so that the requested number is measured.
      OVERLOAD_DELAY_MS: '0',
      ...(medium === 'sip' && SIP_ENV),
      ...sttEnv,
      ...env,
    },
  });
  undo.use(load);
  const api = new Api(load.stack);
  const settings = {
    systemPrompt: 'You are the receptionist of a small hotel by the sea.',
    voice: 'alloy',
    recordingEnabled: recording,
  };
  const owned = undo.move();
  return {
    ...load,
    workerMetricsPort: load.stack.ports.metrics + 1,
    createCall: (callMedium) => api.createCall({ ...settings, medium: callMedium }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * Starts a streaming engine whose interim transcripts cover the audio of `delayMs` ago. Returns the variables that
 * select it.
 */
async function startStreamingStt(
  undo: AsyncDisposableStack,
  control: { delayMs: number; interimMs?: number },
  model: string | null,
): Promise<Record<string, string>> {
  const standIn = undo.use(await startSttStandIn({ apiKey: STT_API_KEY, engine: 'sound' }));
  await standIn.control({ ...control, segmentMs: 60_000 });
  return {
    STT_STREAM_BASE_URL: standIn.baseUrl,
    STT_STREAM_API_KEY: STT_API_KEY,
    ...(model !== null && { STT_STREAM_MODEL: model }),
  };
}
