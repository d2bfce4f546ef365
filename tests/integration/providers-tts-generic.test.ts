import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProviderError, ProviderErrorKind } from '@calls/engine-ports/provider-error';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';
import { createOwnEndpointTextToSpeech } from '@calls/providers/tts/own-endpoint/adapter';
import { collect } from '@calls/testkit/collect';
import { SentenceSource } from '@calls/testkit/conformance/sentence-source';
import { describeTextToSpeech } from '@calls/testkit/conformance/text-to-speech';
import { eventually } from '../support/eventually.ts';
import { createServiceAccount } from '../support/tts-stand-ins/account.ts';
import type { Behaviour, Control } from '../support/tts-stand-ins/behaviour.ts';
import { startTtsStandIns } from '../support/tts-stand-ins/start-tts-stand-ins.ts';

const API_KEY = 'key-of-the-test';
const AMPLE_MS = 60_000;
const SHORT_MS = 400;

const standIns = await startTtsStandIns({
  apiKey: API_KEY,
  publicKeyPem: createServiceAccount().publicKeyPem,
});
const outbound = createOutboundHttp({ allowPrivateNetworks: true });

beforeEach(() => standIns.control());
afterAll(async () => {
  await outbound[Symbol.asyncDispose]();
  await standIns[Symbol.asyncDispose]();
});

const SETTINGS = {
  url: `${standIns.httpUrl}/speak`,
  headers: { 'X-Key': API_KEY },
  body: { say: { words: '{text}' }, rateHz: 16_000 },
};

function generic(limitMs = AMPLE_MS, client = outbound, clock: Clock = systemClock): TextToSpeech {
  const limits = {
    connectTimeoutMs: AMPLE_MS,
    firstAudioTimeoutMs: limitMs,
    gapTimeoutMs: limitMs,
    maxSentenceMs: 60_000,
  };
  return createOwnEndpointTextToSpeech({ outbound: client, limits, clock });
}

function speak(
  settings: Record<string, unknown> = {},
  options: { engine?: TextToSpeech; signatureHeaders?: () => Record<string, string> } = {},
): Promise<SpeechChunk[]> {
  const { engine = generic(), ...rest } = options;
  const voice = { engine: 'generic', settings: { ...SETTINGS, ...settings } };
  const sentences = SentenceSource.of(['Good morning, you two.', 'How are you?']);
  return collect(
    engine.synthesize(sentences, { voice, languageHint: null, ...rest }, new AbortController().signal),
  );
}

const errorOf = async (work: Promise<unknown>): Promise<ProviderError> =>
  (await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as ProviderError;

const allFreed = (): Promise<void> =>
  eventually(async () => {
    const { requests } = await standIns.report();
    expect(requests.filter(({ outcome }) => outcome === 'open')).toEqual([]);
  });

const FAILURES: Partial<Record<Behaviour, ProviderErrorKind>> = {
  error: 'refused',
  never: 'timeout',
  slow: 'timeout',
  stall: 'timeout',
  cut: 'cut',
  empty: 'malformed',
  garbage: 'malformed',
  refuse: 'unreachable',
};

describeTextToSpeech('generic', {
  create: () => Promise.resolve(generic()),
  voice: { engine: 'generic', settings: SETTINGS },
  allFreed,
  failures: Object.entries(FAILURES).map(([behaviour, kind]) => ({
    name: `an endpoint that fails with ${behaviour}`,
    kind,
    create: async () => {
      await standIns.control({ behaviour: behaviour as Behaviour, slowMs: 3 * SHORT_MS });
      return generic(kind === 'timeout' ? SHORT_MS : AMPLE_MS);
    },
  })),
});

describe('generic TTS', () => {
  const FORMS: [Control['genericAnswer'], Record<string, unknown>][] = [
    ['wav', {}],
    ['pcm', { responseSampleRate: 16_000 }],
    ['pcm', { responseMimeType: 'audio/l16;rate=16000' }],
    ['json_lines', { jsonAudioFieldPath: 'result.audio', responseSampleRate: 16_000 }],
    ['json_base64', { jsonAudioFieldPath: 'data.0.audio', responseSampleRate: 16_000 }],
    [
      'json_hex',
      {
        jsonAudioFieldPath: 'data.0.audio',
        jsonByteEncoding: 'JSON_BYTE_ENCODING_HEX',
        responseSampleRate: 16_000,
      },
    ],
  ];

  it('decodes the same speech from every response format', async () => {
    const answers: { sampleRateHz: number; samples: number[] }[] = [];
    for (const [genericAnswer, settings] of FORMS) {
      await standIns.control({ ...(genericAnswer && { genericAnswer }) });
      const chunks = await speak(settings);
      const audio = chunks.flatMap((chunk) => (chunk.type === 'audio' ? [chunk] : []));
      answers.push({
        sampleRateHz: audio[0]?.sampleRateHz ?? 0,
        samples: audio.flatMap(({ samples }) => [...samples]),
      });
    }
    const [wav] = answers;
    expect(wav?.sampleRateHz).toBe(16_000);
    // 22 and 12 characters, 60 ms each.
    expect(wav?.samples).toHaveLength(34 * 60 * 16);
    for (const answer of answers) expect(answer).toEqual(wav);
  });

  it('sends its headers and a new call signature with each request', async () => {
    let made = 0;
    const signatureHeaders = () => ({
      'X-Svc-Call-ID': 'call-1',
      'X-Svc-Signature': `signature-${String((made += 1))}`,
    });
    await speak({}, { signatureHeaders });
    const { requests } = await standIns.report();
    expect(requests.map(({ headers }) => headers['x-svc-signature'])).toEqual(['signature-1', 'signature-2']);
    expect(requests[0]?.headers).toMatchObject({
      'x-key': API_KEY,
      'x-svc-call-id': 'call-1',
      'content-type': 'application/json',
    });
    expect(requests[0]?.asked).toEqual({ say: { words: 'Good morning, you two.' }, rateHz: 16_000 });
  });

  it('estimates word timings when the speaking rate is configured', async () => {
    const chunks = await speak({ responseWordsPerMinute: 300 });
    const words = chunks.flatMap((chunk) => (chunk.type === 'words' ? [chunk.words] : []));
    expect(words[0]?.map(({ word, startMs }) => [word, startMs])).toEqual([
      ['Good', 0],
      ['morning,', 200],
      ['you', 400],
      ['two.', 600],
    ]);
    expect(words).toHaveLength(2);
  });

  it.each<[string, Control, Record<string, unknown>, RegExp]>([
    ['no {text} placeholder in the body', {}, { body: { input: 'x' } }, /\{text\}/],
    [
      'no audio at the configured path',
      { genericAnswer: 'json_base64' },
      { jsonAudioFieldPath: 'data.1.audio' },
      /"data\.1\.audio"/,
    ],
    ['an unsupported media type', {}, { responseMimeType: 'audio/mpeg' }, /audio\/mpeg/],
    ['an unknown setting', {}, { rate: 3 }, /rate: is not a known field/],
    ['invalid hexadecimal audio', { genericAnswer: 'json_base64' }, FORMS[5]?.[1] ?? {}, /hexadecimal/],
  ])('reports what is wrong: %s', async (_title, control, settings, message) => {
    await standIns.control(control);
    expect((await errorOf(speak(settings))).message).toMatch(message);
  });

  it('reports the message of the endpoint without the key or the text', async () => {
    const errorMessage = `No credit for ${API_KEY} to say: Good morning, you two.`;
    await standIns.control({ behaviour: 'error', errorStatus: 402, errorMessage });
    const error = await errorOf(speak());
    expect(error).toMatchObject({ kind: 'refused', retryable: false });
    expect(error.message).toBe('generic: status 402: No credit for […] to say: […]');
  });

  it('does not time out while its caller reads slowly', async () => {
    const clock = new VirtualClock();
    const engine = generic(SHORT_MS, outbound, clock);
    const voice = { engine: 'generic', settings: SETTINGS };
    const sentences = SentenceSource.of(['Good morning, you two.', 'How are you?']);
    const signal = new AbortController().signal;
    const spoken: string[] = [];
    for await (const chunk of engine.synthesize(sentences, { voice, languageHint: null }, signal)) {
      if (chunk.type !== 'sentence') continue;
      spoken.push(chunk.text);
      await clock.advance(2 * SHORT_MS);
    }
    expect(spoken).toHaveLength(2);
  });

  it('does not send requests to private networks', async () => {
    await using guarded = createOutboundHttp({ allowPrivateNetworks: false });
    const error = await errorOf(speak({}, { engine: generic(AMPLE_MS, guarded) }));
    expect(error).toMatchObject({ kind: 'unavailable', retryable: false });
    expect(error.message).toContain('loopback');
    expect((await standIns.report()).requests).toEqual([]);
  });
});
