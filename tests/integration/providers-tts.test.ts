import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProviderError, ProviderErrorKind } from '@calls/engine-ports/provider-error';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { systemClock } from '@calls/foundation/clock';
import { findFreePorts } from '@calls/local-stack/free-port';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';
import { createConnectionPool } from '@calls/providers/http/connection-pool';
import {
  KEYED_TTS_VENDORS,
  TTS_VENDORS,
  type KeyedProvider,
  type TtsAdapter,
} from '@calls/providers/tts/tts-vendors';
import { collect } from '@calls/testkit/collect';
import type { FailureCase } from '@calls/testkit/conformance/failure-case';
import { SentenceSource } from '@calls/testkit/conformance/sentence-source';
import { describeTextToSpeech } from '@calls/testkit/conformance/text-to-speech';
import { eventually } from '../support/eventually.ts';
import { createServiceAccount } from '../support/tts-stand-ins/account.ts';
import type { Behaviour } from '../support/tts-stand-ins/behaviour.ts';
import { startTtsStandIns } from '../support/tts-stand-ins/start-tts-stand-ins.ts';

const API_KEY = 'key-of-the-test';
/** A generous limit that a working provider never reaches, even on a busy machine. */
const AMPLE_MS = 60_000;
/** A limit that a failing provider exceeds. */
const SHORT_MS = 400;

const account = createServiceAccount();

const outbound = createOutboundHttp({ allowPrivateNetworks: true });
const engines: Partial<AsyncDisposable>[] = [];
const adapters = new Map<string, TtsAdapter>();

const standIns = await startTtsStandIns({ apiKey: API_KEY, publicKeyPem: account.publicKeyPem });
const pool = createConnectionPool();
for (const { key, adapter } of TTS_VENDORS) adapters.set(key, await adapter());
beforeEach(() => standIns.control());
afterAll(async () => {
  for (const engine of engines) await engine[Symbol.asyncDispose]?.();
  await outbound[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
  await standIns[Symbol.asyncDispose]();
});

interface ProviderCase {
  name: string;
  engine: KeyedProvider;
  settings: Record<string, unknown>;
  isRpc?: true;
  /** Errors of the transport of this provider besides the common ones. */
  failures: Partial<Record<Behaviour, ProviderErrorKind>>;
  /** Whether the provider returns word timings. */
  timesWords: boolean;
}

const SOCKET_FAILURES = { late_error: 'refused', garbage: 'malformed' } as const;

const CASES: readonly ProviderCase[] = [
  {
    name: 'provider1',
    engine: 'provider1',
    settings: { apiKey: API_KEY, voiceId: 'rachel' },
    failures: { garbage: 'malformed' },
    timesWords: true,
  },
  {
    name: 'provider1 with SSML',
    engine: 'provider1',
    settings: { apiKey: API_KEY, voiceId: 'rachel', enableSsmlParsing: true },
    failures: SOCKET_FAILURES,
    timesWords: true,
  },
  {
    name: 'provider2',
    engine: 'provider2',
    settings: { apiKey: API_KEY, voiceId: 'barbara' },
    failures: { late_error: 'refused', garbage: 'malformed' },
    timesWords: true,
  },
  {
    name: 'provider3',
    engine: 'provider3',
    settings: { apiKey: API_KEY, voiceId: 'leah' },
    failures: { garbage: 'malformed' },
    timesWords: false,
  },
  {
    name: 'provider4',
    engine: 'provider4',
    settings: { apiKey: account.keyJson, voiceId: 'en-US-Chirp3-HD-Kore' },
    isRpc: true,
    failures: { late_error: 'refused', garbage: 'malformed' },
    timesWords: false,
  },
  {
    name: 'provider4 with a voice that does not stream',
    engine: 'provider4',
    settings: { apiKey: account.keyJson, voiceId: 'de-DE-Neural2-B' },
    isRpc: true,
    failures: { late_error: 'refused', garbage: 'malformed' },
    timesWords: false,
  },
  {
    name: 'provider5',
    engine: 'provider5',
    settings: { apiKey: API_KEY, voiceId: 'Ashley' },
    failures: SOCKET_FAILURES,
    timesWords: true,
  },
  {
    name: 'provider6',
    engine: 'provider6',
    settings: { apiKey: API_KEY, voiceId: 'samantha' },
    failures: SOCKET_FAILURES,
    timesWords: false,
  },
  {
    name: 'provider7',
    engine: 'provider7',
    settings: { apiKey: API_KEY, userId: 'user-7', voiceId: 's3://voice/manifest.json' },
    failures: { garbage: 'malformed' },
    timesWords: false,
  },
];

it('the TTS conformance tests cover every vendor that requires a key', () => {
  const tested = new Set(CASES.map(({ engine }) => engine));
  expect([...tested]).toEqual(KEYED_TTS_VENDORS.map(({ key }) => key));
});

function engineOf(
  { engine: key, isRpc }: ProviderCase,
  limitMs = AMPLE_MS,
  baseUrl = isRpc ? standIns.grpcUrl : standIns.httpUrl,
): TextToSpeech {
  const create = adapters.get(key);
  if (!create) throw new Error(`no adapter of ${key}`);
  const engine = create({
    baseUrl,
    limits: {
      connectTimeoutMs: AMPLE_MS,
      firstAudioTimeoutMs: limitMs,
      gapTimeoutMs: limitMs,
      maxSentenceMs: 60_000,
    },
    pool,
    outbound,
    clock: systemClock,
  });
  engines.push(engine);
  return engine;
}

function speak(
  one: ProviderCase,
  sentences: readonly string[],
  { settings = {}, languageHint = null as string | null } = {},
): Promise<SpeechChunk[]> {
  const voice = { engine: one.engine, settings: { ...one.settings, ...settings } };
  return collect(
    engineOf(one).synthesize(
      SentenceSource.of(sentences),
      { voice, languageHint },
      new AbortController().signal,
    ),
  );
}

const errorOf = async (work: Promise<unknown>): Promise<ProviderError> =>
  (await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as ProviderError;

/** Waits until the provider has no open request. */
const allFreed = (): Promise<void> =>
  eventually(async () => {
    const { requests } = await standIns.report();
    expect(requests.filter(({ outcome }) => outcome === 'open')).toEqual([]);
  });

for (const one of CASES) {
  describeTextToSpeech(one.name, {
    create: () => Promise.resolve(engineOf(one)),
    voice: { engine: one.engine, settings: one.settings },
    allFreed,
    failures: [
      ...Object.entries({
        error: 'refused',
        never: 'timeout',
        slow: 'timeout',
        stall: 'timeout',
        cut: 'cut',
        empty: 'malformed',
        ...(one.isRpc ? {} : { refuse: 'unreachable' }),
        ...one.failures,
      } satisfies Partial<Record<Behaviour, ProviderErrorKind>>).map(
        ([behaviour, kind]): FailureCase<TextToSpeech> => ({
          name: `a provider that fails with ${behaviour}`,
          kind,
          create: async () => {
            await standIns.control({ behaviour: behaviour as Behaviour, slowMs: 3 * SHORT_MS });
            return engineOf(one, kind === 'timeout' ? SHORT_MS : AMPLE_MS);
          },
        }),
      ),
      {
        name: 'no provider',
        kind: 'unreachable',
        create: async () => engineOf(one, AMPLE_MS, `http://127.0.0.1:${await findFreePorts(1)}`),
      },
    ],
  });

  describe(one.name, () => {
    it('reports a missing key and names invalid settings', async () => {
      const without = await errorOf(speak(one, ['Hi.'], { settings: { apiKey: undefined } }));
      expect(without).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('no API key') });
      const unknown = await errorOf(speak(one, ['Hi.'], { settings: { pitch: 3 } }));
      expect(unknown).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('pitch') });
    });

    it('reports why a key was rejected without the key', async () => {
      const error = await errorOf(speak(one, ['Hi there.'], { settings: { apiKey: wrongKey(one) } }));
      expect(error).toMatchObject({ kind: 'refused', retryable: false });
      expect(error.message).toMatch(/invalid api key|unauthorized|invalid auth/i);
      expect(error.message).not.toContain('wrong-key');
    });

    it('reports the message of the provider and whether to retry, without the text', async () => {
      const words = 'My number is 555 0199.';
      await standIns.control({ behaviour: 'error', errorStatus: 429, errorMessage: `Slow down: ${words}` });
      const busy = await errorOf(speak(one, [words]));
      expect(busy).toMatchObject({ kind: 'refused' });
      expect(busy.message).toContain('Slow down: […]');
      expect(busy.message).not.toContain('555');
      if (one.name !== 'provider1 with SSML') expect(busy.retryable).toBe(true);
      await standIns.control({ behaviour: 'error', errorStatus: 400, errorMessage: 'No such voice.' });
      expect(await errorOf(speak(one, ['Hi.']))).toMatchObject({ retryable: false });
    });

    it('yields word timings when the provider returns them', async () => {
      const chunks = await speak(one, ['Good morning, how are you today?', 'Fine.']);
      const words = chunks.flatMap((chunk) => (chunk.type === 'words' ? [chunk.words] : []));
      if (!one.timesWords) {
        expect(words).toEqual([]);
        return;
      }
      expect(words.map((sentence) => sentence.map(({ word }) => word))).toEqual([
        ['Good', 'morning,', 'how', 'are', 'you', 'today?'],
        ['Fine.'],
      ]);
      const [first = []] = words;
      first.forEach(({ startMs, endMs }, i) => {
        expect(endMs).toBeGreaterThan(startMs);
        expect(startMs).toBeGreaterThanOrEqual((first[i - 1]?.endMs ?? 0) - 1);
      });
      // 32 characters, 60 ms each.
      expect(first.at(-1)?.endMs).toBeCloseTo(32 * 60, -1);
    });
  });
}

function wrongKey(one: ProviderCase): string {
  return one.isRpc ? createServiceAccount().keyJson : 'wrong-key';
}
