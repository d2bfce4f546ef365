import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SpeechToText, TranscriptionStream } from '@calls/engine-ports/speech-to-text';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { EnvReader } from '@calls/foundation/env-reader';
import { silentLogger } from '@calls/foundation/logger';
import { findFreePorts } from '@calls/local-stack/free-port';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { createProviders } from '@calls/providers/registry';
import { createDeepgramSpeechToText } from '@calls/providers/stt/deepgram/adapter';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import type { FailureCase } from '@calls/testkit/conformance/failure-case';
import { describeSpeechToText } from '@calls/testkit/conformance/speech-to-text';
import { requireQuick } from '@calls/testkit/long-form';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { eventually } from '../support/eventually.ts';
import { LONG_ENGINE_LIMITS_ENV } from '../support/lifted-limits.ts';
import type { Control } from '../support/stt-stand-in/behaviour.ts';
import type { SeenStream } from '../support/stt-stand-in/listen-log.ts';
import { startSttStandIn } from '../support/stt-stand-in/start-stt-stand-in.ts';
import { toneSpeech } from '../support/stt-stand-in/tone-words.ts';

const API_KEY = 'key-of-the-test';
const AMPLE_MS = 60_000;
const SHORT_MS = 300;
const NEVER_ABORTED = new AbortController().signal;

const engines: AsyncDisposable[] = [];

interface Settings {
  limitMs?: number;
  connectLimitMs?: number;
  baseUrl?: string;
  apiKey?: string;
  clock?: Clock;
  maxUtteranceMs?: number;
  model?: string;
}

function speechToText(settings: Settings = {}): SpeechToText & AsyncDisposable {
  const { limitMs = AMPLE_MS, baseUrl = standIn.baseUrl, apiKey = API_KEY, clock = systemClock } = settings;
  const engine = createDeepgramSpeechToText({
    endpoint: { baseUrl, apiKey },
    model: settings.model ?? 'nova-test',
    limits: {
      connectTimeoutMs: settings.connectLimitMs ?? AMPLE_MS,
      timeoutMs: limitMs,
      maxUtteranceMs: settings.maxUtteranceMs ?? 60_000,
    },
    clock,
    log: silentLogger,
  });
  engines.push(engine);
  return engine;
}

const open = (
  engine: SpeechToText = speechToText(),
  languageHint: string | null = null,
): TranscriptionStream => engine.open({ languageHint }, NEVER_ABORTED);

/** Pushes audio like a transport, but without delay. */
function pushFrames(stream: TranscriptionStream, samples: Int16Array): void {
  for (let at = 0; at < samples.length; at += 320) stream.push(samples.slice(at, at + 320));
}

/** Adds each new text. Partials repeat a text when they cover more audio. */
async function followInterims(stream: TranscriptionStream, interims: string[]): Promise<void> {
  for await (const { text } of stream.interims) if (text !== interims.at(-1)) interims.push(text);
}

const silence = (durationMs: number): Int16Array => new Int16Array(16 * durationMs);

async function hear(
  engine: SpeechToText,
  words: string,
  languageHint: string | null = null,
  keyTerms?: readonly string[],
): Promise<string> {
  const stream = engine.open({ languageHint, keyTerms }, NEVER_ABORTED);
  pushFrames(stream, toneSpeech(words));
  const { text } = await stream.finalize();
  stream.close();
  return text;
}

const streams = async (): Promise<SeenStream[]> => (await standIn.report()).streams;

const standIn = await startSttStandIn({ apiKey: API_KEY });
beforeEach(() => standIn.control());
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine[Symbol.asyncDispose]()));
});
afterAll(async () => {
  await standIn[Symbol.asyncDispose]();
});

function failure(
  name: string,
  expected: FailureCase<SpeechToText>['kind'],
  control: Control,
  settings?: Settings,
): FailureCase<SpeechToText> {
  const create = async (): Promise<SpeechToText> => {
    await standIn.control(control);
    return speechToText(settings);
  };
  return { name, kind: expected, create };
}

describeSpeechToText('deepgram', {
  create: () => Promise.resolve(speechToText()),
  speech: () => Promise.resolve(toneSpeech('one two three four five')),
  words: /^one two three four five$/,
  allFreed: async () => {
    await Promise.all(engines.map((engine) => engine[Symbol.asyncDispose]()));
    await eventually(async () => expect((await streams()).filter(({ isOpen }) => isOpen)).toEqual([]));
  },
  failures: [
    failure('a wrong key', 'refused', {}, { apiKey: 'wrong' }),
    failure('too many connections', 'refused', { behaviour: 'refuse_status', errorStatus: 429 }),
    failure('an error status', 'refused', { behaviour: 'refuse_status' }),
    failure('an error message', 'refused', { behaviour: 'error' }),
    failure('a broken handshake', 'unreachable', { behaviour: 'refuse' }),
    {
      name: 'a refused connection',
      kind: 'unreachable',
      create: async () => speechToText({ baseUrl: `ws://127.0.0.1:${await findFreePorts(1)}/v1` }),
    },
    failure('a slow handshake', 'unreachable', { behaviour: 'slow_start' }, { connectLimitMs: SHORT_MS }),
    failure('slow words', 'timeout', { behaviour: 'slow_final' }, { limitMs: SHORT_MS }),
    failure('no word at all', 'timeout', { behaviour: 'mute' }, { limitMs: SHORT_MS }),
    failure('connections that break', 'cut', { behaviour: 'cut' }),
    failure('connections that are closed', 'cut', { behaviour: 'close' }),
    failure('another protocol', 'malformed', { behaviour: 'garbage' }),
  ],
});

describe('streaming STT requests', () => {
  it('contain format, model, language and a token', async () => {
    const engine = speechToText();
    await hear(engine, 'one', 'pt-BR');
    await hear(engine, 'two', null);
    expect(await streams()).toMatchObject([
      {
        authorization: `Token ${API_KEY}`,
        query: {
          model: 'nova-test',
          language: 'pt-BR',
          encoding: 'linear16',
          sample_rate: '16000',
          channels: '1',
          interim_results: 'true',
          punctuate: 'true',
          endpointing: 'false',
        },
      },
      { query: { language: 'multi' } },
    ]);
  });

  it.each([
    ['nova-3', { keyTerms: ['Ada', 'Hotel: Grand'], keywords: [] }],
    ['nova-2-phonecall', { keyTerms: [], keywords: ['Ada', 'Hotel', 'Grand'] }],
    ['enhanced', { keyTerms: [], keywords: ['Ada', 'Hotel', 'Grand'] }],
  ])('contain key terms in the parameter that %s supports', async (model, expected) => {
    await hear(speechToText({ model }), 'one', 'en', ['Ada', 'Hotel: Grand']);
    expect(await streams()).toMatchObject([expected]);
  });

  it('contain only the first key terms when all exceed the token limit', async () => {
    const terms = Array.from({ length: 100 }, (_, i) => `term number ${i}`);
    await hear(speechToText({ model: 'nova-3' }), 'one', 'en', terms);
    const [{ keyTerms } = { keyTerms: [] }] = await streams();
    expect(keyTerms).toEqual(terms.slice(0, keyTerms.length));
    expect(keyTerms.join('').length).toBeLessThanOrEqual(500);
    expect(keyTerms.length).toBeGreaterThan(30);
  });

  it('are not shared by calls with different key terms', async () => {
    const engine = speechToText({ model: 'nova-3' });
    for (const term of ['Ada', 'Ada', 'Bob']) expect(await hear(engine, 'one', 'en', [term])).toBe('one');
    expect((await streams()).map(({ keyTerms }) => keyTerms)).toEqual([['Ada'], ['Bob']]);
  });

  it('are not sent without audio', async () => {
    const stream = open();
    expect(await stream.finalize()).toEqual({ text: '' });
    stream.close();
    expect(await streams()).toEqual([]);
  });

  it('report an invalid key without revealing it', async () => {
    await expect(hear(speechToText({ apiKey: 'wrong-key' }), 'one')).rejects.toMatchObject({
      message: 'deepgram: status 401: Invalid credentials.',
      retryable: false,
    });
  });

  it('can be retried later after too many connections', async () => {
    await standIn.control({ behaviour: 'refuse_status', errorStatus: 429 });
    await expect(hear(speechToText(), 'one')).rejects.toMatchObject({ retryable: true, retryAfterMs: 5000 });
  });
});

describe('streaming STT transcripts', () => {
  it('arrive as growing interim transcripts long before the end', async () => {
    const stream = open();
    const interims: string[] = [];
    const following = followInterims(stream, interims);
    const speech = toneSpeech('one two three four five six seven eight nine ten');
    pushFrames(stream, speech.subarray(0, 16 * 600));
    await eventually(() => expect(interims.at(-1)).toMatch(/^one two/));
    pushFrames(stream, speech.subarray(16 * 600));
    // The provider has finalized the first six words in the meantime.
    await eventually(() => expect(interims.at(-1)).toMatch(/^one two three four five six seven eight nine/));
    expect(await stream.finalize()).toEqual({ text: 'one two three four five six seven eight nine ten' });
    stream.close();
    await following;
    expect(new Set(interims).size).toBe(interims.length);
    expect((await streams())[0]?.controls).toEqual(['Finalize']);
  });

  it('have interim transcripts that say how much audio they cover', async () => {
    const stream = open();
    const covered: number[] = [];
    const following = (async () => {
      for await (const { text, coveredSamples = 0 } of stream.interims)
        if (text !== '') covered.push(coveredSamples);
    })();
    const speech = toneSpeech('one two three');
    pushFrames(stream, speech);
    await eventually(() => expect(covered).not.toEqual([]));
    await stream.finalize();
    await eventually(() => expect(covered.at(-1)).toBe(speech.length));
    stream.close();
    await following;
    expect(covered).toEqual(covered.toSorted((a, b) => a - b));
  });

  it('are complete when finalized again after more audio', async () => {
    const stream = open();
    pushFrames(stream, toneSpeech('one two'));
    expect((await stream.finalize()).text).toBe('one two');
    pushFrames(stream, toneSpeech('three'));
    expect((await stream.finalize()).text).toBe('one two three');
    pushFrames(stream, toneSpeech('four'));
    const replaced = stream.finalize();
    pushFrames(stream, toneSpeech('five'));
    const last = stream.finalize();
    await expect(replaced).rejects.toMatchObject({ kind: 'superseded' });
    expect((await last).text).toBe('one two three four five');
    stream.close();
  });

  it('are returned without waiting when almost no audio is pending', async () => {
    await standIn.control({ negligibleMs: 300 });
    const stream = open();
    const interims: string[] = [];
    const following = followInterims(stream, interims);
    pushFrames(stream, toneSpeech('one two'));
    expect((await stream.finalize()).text).toBe('one two');
    // The provider never finalizes this audio, so the partial is used.
    pushFrames(stream, toneSpeech('three').subarray(0, 16 * 190));
    await eventually(() => expect(interims.at(-1)).toBe('one two three'));
    expect((await stream.finalize()).text).toBe('one two three');
    pushFrames(stream, silence(50));
    expect((await stream.finalize()).text).toBe('one two three');
    stream.close();
    await following;
  });

  it('end at the maximum utterance length', async () => {
    const stream = open(speechToText({ maxUtteranceMs: 490 }));
    pushFrames(stream, toneSpeech('one two three four'));
    expect((await stream.finalize()).text).toBe('one two');
    stream.close();
    expect((await streams())[0]?.audioMs).toBe(490);
  });
});

describe('a streaming STT connection', () => {
  it('is reused for consecutive utterances with separate transcripts', async () => {
    const engine = speechToText();
    const first = open(engine);
    pushFrames(first, toneSpeech('one two'));
    await first.finalize();
    // Pushed while the turn decision is pending; its transcript is never requested.
    pushFrames(first, silence(400));
    first.close();
    await eventually(async () => expect((await streams())[0]?.controls).toEqual(['Finalize', 'Finalize']));
    // Checked after the response to the last Finalize.
    await eventually(async () => {
      const { length } = await streams();
      expect(await hear(engine, 'three four')).toBe('three four');
      expect(await streams()).toHaveLength(length);
    });
  });

  it('is not shared by concurrent utterances or different languages', async () => {
    const engine = speechToText();
    const all = Array.from({ length: 4 }, () => hear(engine, 'one two'));
    expect(await Promise.all(all)).toEqual(['one two', 'one two', 'one two', 'one two']);
    await hear(engine, 'three', 'de');
    expect((await streams()).map(({ query }) => query['language']).sort()).toEqual([
      'de',
      ...Array.from({ length: 4 }, () => 'multi'),
    ]);
  });

  it('is closed when sixteen idle connections exist', async () => {
    const engine = speechToText();
    await Promise.all(Array.from({ length: 18 }, () => hear(engine, 'one')));
    await eventually(async () => {
      const open = (await streams()).filter(({ isOpen }) => isOpen);
      expect(open).toHaveLength(16);
    });
  });

  it('is reused so that the next utterance needs no handshake', async () => {
    await standIn.control({ behaviour: 'slow_start', slowMs: 700 });
    const engine = speechToText();
    const timed = async (): Promise<number> => {
      const startMs = performance.now();
      expect(await hear(engine, 'one')).toBe('one');
      return performance.now() - startMs;
    };
    expect(await timed()).toBeGreaterThan(690);
    requireQuick(await timed(), 600);
  });

  it('sends keepalives while idle and closes after one minute', async () => {
    const clock = new VirtualClock();
    const engine = speechToText({ clock });
    await hear(engine, 'one');
    await clock.advance(12_500);
    await eventually(async () =>
      expect((await streams())[0]?.controls).toEqual(['Finalize', 'KeepAlive', 'KeepAlive', 'KeepAlive']),
    );
    await clock.advance(47_499);
    expect((await streams())[0]?.isOpen).toBe(true);
    await clock.advance(1);
    await eventually(async () => expect(await streams()).toMatchObject([{ isOpen: false, closeCode: 1000 }]));
    await eventually(() => expect(clock.pendingTimers).toBe(0));
  });

  it('is replaced transparently when the provider closes it while idle', async () => {
    await standIn.control({ idleLimitMs: 150 });
    const engine = speechToText();
    expect(await hear(engine, 'one')).toBe('one');
    await eventually(async () => expect((await streams())[0]?.isOpen).toBe(false));
    expect(await hear(engine, 'two')).toBe('two');
    expect(await streams()).toHaveLength(2);
  });

  it('closes with the engine', async () => {
    const engine = speechToText();
    await hear(engine, 'one');
    const late = open(engine);
    pushFrames(late, toneSpeech('two'));
    await engine[Symbol.asyncDispose]();
    late.close();
    await eventually(async () => expect((await streams()).map(({ isOpen }) => isOpen)).toEqual([false]));
  });
});

describe('configured streaming STT', () => {
  it('has precedence over the batch endpoint, which is used for utterances that fail', async () => {
    const requests = await startAiStandIn({ apiKey: API_KEY });
    const providers = createProviders(
      readProviderConfig(
        new EnvReader({
          ...LONG_ENGINE_LIMITS_ENV,
          STT_STREAM_BASE_URL: standIn.baseUrl,
          STT_STREAM_API_KEY: API_KEY,
          STT_STREAM_MODEL: 'nova-2',
          STT_BASE_URL: `http://127.0.0.1:${await findFreePorts(1)}/v1`,
          STT_FALLBACK_BASE_URL: requests.baseUrl,
          STT_FALLBACK_API_KEY: API_KEY,
        }),
      ),
      { clock: systemClock, log: silentLogger },
    );
    engines.push(providers);
    expect(await hear(providers.speechToText, 'one two')).toBe('one two');
    expect((await streams())[0]?.query['model']).toBe('nova-2');
    await standIn.control({ behaviour: 'error', afterAudioMs: 0 });
    const stream = open(providers.speechToText, 'de');
    pushFrames(stream, toneSpeech('one two'));
    await requests.control({ stt: { replies: ['eins zwei'] } });
    expect((await stream.finalize()).text).toBe('eins zwei');
    stream.close();
    expect((await requests.requests()).recent[0]?.asked).toMatchObject({ language: 'de', audioMs: 480 });
    await requests[Symbol.asyncDispose]();
  });
});

describe('a lost streaming STT connection', () => {
  it.each(['cut', 'close'] as const)('(%s) during an utterance loses no words', async (behaviour) => {
    await standIn.control({ behaviour, connections: 1, afterAudioMs: 1900, segmentMs: 700 });
    const stream = open();
    const interims: string[] = [];
    const following = followInterims(stream, interims);
    const speech = toneSpeech('one two three four five six seven eight nine ten');
    pushFrames(stream, speech.subarray(0, 16 * 1200));
    await eventually(() => expect(interims.at(-1)).toBe('one two three four five'));
    pushFrames(stream, speech.subarray(16 * 1200, 16 * 1900));
    await eventually(async () => expect(await streams()).toHaveLength(2));
    pushFrames(stream, speech.subarray(16 * 1900));
    expect(await stream.finalize()).toEqual({ text: 'one two three four five six seven eight nine ten' });
    stream.close();
    await following;
    // Finalized audio was not sent again.
    expect((await streams())[1]?.audioMs).toBeLessThan(2000);
  });

  it('during a finalize does not lose the transcript', async () => {
    await standIn.control({ behaviour: 'cut', connections: 1, afterAudioMs: 480 });
    expect(await hear(speechToText(), 'one two')).toBe('one two');
    expect((await streams())[1]?.controls).toEqual(['Finalize']);
  });

  it('is replaced within the time limit when the provider no longer responds', async () => {
    await standIn.control({ behaviour: 'mute', connections: 1 });
    const clock = new VirtualClock();
    const transcript = hear(speechToText({ limitMs: 600, clock }), 'one two three');
    await eventually(async () => expect((await streams())[0]?.controls).toEqual(['Finalize']));
    await clock.advance(599);
    expect(await transcript).toBe('one two three');
    expect(await streams()).toHaveLength(2);
  });

  it('is replaced by one that receives a long utterance in messages of bounded size', async () => {
    await standIn.control({ behaviour: 'cut', connections: 1, afterAudioMs: 4900, segmentMs: 60_000 });
    const stream = open();
    const words = 'one two three four five six seven eight nine ten';
    pushFrames(stream, toneSpeech(`${words} ${words} ${words}`));
    expect((await stream.finalize()).text).toBe(`${words} ${words} ${words}`);
    stream.close();
    expect((await streams())[1]?.largestMessageBytes).toBe(32_000);
  });

  it('is replaced only once per utterance', async () => {
    await standIn.control({ behaviour: 'cut', afterAudioMs: 100 });
    const stream = open();
    pushFrames(stream, toneSpeech('one two'));
    await expect(stream.finalize()).rejects.toMatchObject({ kind: 'cut', retryable: true });
    await expect(stream.finalize()).rejects.toMatchObject({ kind: 'cut' });
    stream.close();
    expect(await streams()).toHaveLength(2);
  });

  it('does not prevent a transcript that arrives after a timeout from being used', async () => {
    await standIn.control({ behaviour: 'slow_final', slowMs: 2000 });
    const clock = new VirtualClock();
    const stream = open(speechToText({ limitMs: 100, clock }));
    const interims: string[] = [];
    void followInterims(stream, interims);
    pushFrames(stream, toneSpeech('one two'));
    // A connection that has sent nothing by the time limit is not used any more.
    await eventually(() => expect(interims).not.toEqual([]));
    const late = expect(stream.finalize()).rejects.toMatchObject({ kind: 'timeout' });
    await clock.advance(100);
    await late;
    expect((await stream.finalize()).text).toBe('one two');
    stream.close();
  });
});
