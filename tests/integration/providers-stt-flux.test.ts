import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SpeechToText, TranscriptionStream } from '@calls/engine-ports/speech-to-text';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { createDeepgramSpeechToText } from '@calls/providers/stt/deepgram/adapter';
import type { FailureCase } from '@calls/testkit/conformance/failure-case';
import { describeSpeechToText } from '@calls/testkit/conformance/speech-to-text';
import { eventually } from '../support/eventually.ts';
import type { Control } from '../support/stt-stand-in/behaviour.ts';
import type { SeenStream } from '../support/stt-stand-in/listen-log.ts';
import { startSttStandIn } from '../support/stt-stand-in/start-stt-stand-in.ts';
import { toneSpeech } from '../support/stt-stand-in/tone-words.ts';

const API_KEY = 'key-of-the-test';
const AMPLE_MS = 60_000;
const SHORT_MS = 300;
/** Silence that the adapter sends to get the transcript of the audio before it. */
const FINALIZE_MS = 320;
const NEVER_ABORTED = new AbortController().signal;

const engines: AsyncDisposable[] = [];

function speechToText(
  settings: { model?: string; limitMs?: number; apiKey?: string; clock?: Clock } = {},
): SpeechToText & AsyncDisposable {
  const { model = 'flux-general-en', limitMs = AMPLE_MS, apiKey = API_KEY, clock = systemClock } = settings;
  const engine = createDeepgramSpeechToText({
    // The URL of the stand-in ends in `/v1`.
    endpoint: { baseUrl: standIn.baseUrl, apiKey },
    model,
    limits: { connectTimeoutMs: AMPLE_MS, timeoutMs: limitMs, maxUtteranceMs: 60_000 },
    clock,
    log: silentLogger,
  });
  engines.push(engine);
  return engine;
}

const open = (engine = speechToText(), languageHint: string | null = null): TranscriptionStream =>
  engine.open({ languageHint }, NEVER_ABORTED);

const silence = (durationMs: number): Int16Array => new Int16Array(16 * durationMs);

/** Pushes audio like a transport, but without delay. */
function pushFrames(stream: TranscriptionStream, ...parts: Int16Array[]): void {
  for (const samples of parts)
    for (let at = 0; at < samples.length; at += 320) stream.push(samples.slice(at, at + 320));
}

async function hear(
  engine: SpeechToText,
  words: string,
  languageHint: string | null = null,
): Promise<string> {
  const stream = engine.open({ languageHint, keyTerms: ['Ada', 'Grand Hotel'] }, NEVER_ABORTED);
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
  kind: FailureCase<SpeechToText>['kind'],
  control: Control,
  settings?: Parameters<typeof speechToText>[0],
): FailureCase<SpeechToText> {
  const create = async (): Promise<SpeechToText> => {
    await standIn.control(control);
    return speechToText(settings);
  };
  return { name, kind, create };
}

describeSpeechToText('deepgram with Flux', {
  create: () => Promise.resolve(speechToText()),
  speech: () => Promise.resolve(toneSpeech('one two three four five')),
  words: /^one two three four five$/,
  allFreed: () =>
    eventually(async () => expect((await streams()).filter(({ isOpen }) => isOpen)).toEqual([])),
  failures: [
    failure('a wrong key', 'refused', {}, { apiKey: 'wrong' }),
    failure('an unknown model', 'refused', {}, { model: 'flux-2' }),
    failure('an error message', 'refused', { behaviour: 'error' }),
    failure('slow words', 'timeout', { behaviour: 'slow_final' }, { limitMs: SHORT_MS }),
    failure('no word at all', 'timeout', { behaviour: 'mute' }, { limitMs: SHORT_MS }),
    failure('connections that break', 'cut', { behaviour: 'cut' }),
    failure('another protocol', 'malformed', { behaviour: 'garbage' }),
  ],
});

describe('Flux requests', () => {
  it('have version 2 in their URL, whatever the configured one has, and key terms', async () => {
    expect(await hear(speechToText(), 'one two', 'en-GB')).toBe('one two');
    expect(await streams()).toMatchObject([
      { query: { model: 'flux-general-en', encoding: 'linear16', sample_rate: '16000' } },
    ]);
    expect((await streams())[0]).toMatchObject({
      authorization: `Token ${API_KEY}`,
      keyTerms: ['Ada', 'Grand Hotel'],
    });
  });

  it('have the language as a hint for the multilingual model', async () => {
    const engine = speechToText({ model: 'flux-general-multi' });
    expect(await hear(engine, 'one', 'pt-BR')).toBe('one');
    expect(await hear(engine, 'one', null)).toBe('one');
    expect((await streams()).map(({ query }) => query['language_hint'])).toEqual(['pt-BR', undefined]);
    await expect(hear(engine, 'one', 'pl')).rejects.toMatchObject({ kind: 'refused' });
  });

  it('are not made for other languages with the English model', async () => {
    await expect(hear(speechToText(), 'one', 'de')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await streams()).toEqual([]);
  });
});

describe('Flux transcripts', () => {
  it('arrive as interim transcripts that say how much audio they cover', async () => {
    const stream = open();
    const interims: [text: string, coveredMs: number][] = [];
    const following = (async () => {
      for await (const { text, coveredSamples = 0 } of stream.interims)
        if (text !== '') interims.push([text, coveredSamples / 16]);
    })();
    pushFrames(stream, toneSpeech('one two three four'));
    await eventually(() => expect(interims.at(-1)).toEqual(['one two three', 750]));
    expect(await stream.finalize()).toMatchObject({ text: 'one two three four' });
    await eventually(() => expect(interims.at(-1)).toEqual(['one two three four', 960]));
    stream.close();
    await following;
  });

  it('need only the silence of one request, after which the utterance can continue', async () => {
    const stream = open();
    pushFrames(stream, toneSpeech('one two'));
    expect(await stream.finalize()).toMatchObject({ text: 'one two' });
    expect((await streams())[0]?.audioMs).toBe(480 + FINALIZE_MS);
    pushFrames(stream, toneSpeech('three'));
    expect(await stream.finalize()).toMatchObject({ text: 'one two three' });
    stream.close();
    expect((await streams())[0]?.audioMs).toBe(720 + 2 * FINALIZE_MS);
  });

  it('consist of all turns that the provider finds in an utterance', async () => {
    const stream = open();
    pushFrames(stream, toneSpeech('one two'), silence(1100), toneSpeech('three'), silence(1100));
    expect(await stream.finalize()).toMatchObject({ text: 'one two three' });
    expect(await stream.finalize()).toMatchObject({ text: 'one two three' });
    stream.close();
  });
});

describe('the end-of-turn confidence of Flux', () => {
  it('is part of the transcripts, and is 1 after the provider has ended the turn', async () => {
    const stream = open();
    const interims: (number | undefined)[] = [];
    const following = (async () => {
      for await (const { completion } of stream.interims) interims.push(completion);
    })();
    // The confidence of the stand-in rises with the silence, of which the next result covers 100 ms.
    pushFrames(stream, toneSpeech('one two'));
    expect((await stream.finalize()).completion).toBeCloseTo(0.2, 5);
    pushFrames(stream, silence(700));
    await eventually(() => expect(interims).toContain(1));
    pushFrames(stream, silence(700));
    expect((await stream.finalize()).completion).toBe(1);
    stream.close();
    await following;
  });
});

describe('a Flux connection', () => {
  it('is closed after its utterance', async () => {
    const engine = speechToText();
    for (const word of ['one', 'two']) expect(await hear(engine, word)).toBe(word);
    await eventually(async () =>
      expect(await streams()).toMatchObject([
        { isOpen: false, closeCode: 1000, controls: ['CloseStream'] },
        { isOpen: false, closeCode: 1000, controls: ['CloseStream'] },
      ]),
    );
  });

  it('that is lost loses no words, and only the audio of the current turn is sent again', async () => {
    // The stand-in ends the turn with the first result that has 350 ms of silence.
    const turnMs = 1000;
    await standIn.control({ behaviour: 'cut', connections: 1, afterAudioMs: 2150 });
    const stream = open();
    const covered: number[] = [];
    void (async () => {
      for await (const { coveredSamples = 0 } of stream.interims) covered.push(coveredSamples / 16);
    })();
    pushFrames(stream, toneSpeech('one two'), silence(turnMs - 480));
    await eventually(() => expect(covered.at(-1)).toBe(turnMs));
    pushFrames(stream, toneSpeech('three four five six seven'));
    expect(await stream.finalize()).toMatchObject({ text: 'one two three four five six seven' });
    stream.close();
    expect((await streams())[1]?.audioMs).toBe(1200 + FINALIZE_MS);
  });

  it('that no longer responds is replaced within the time limit', async () => {
    await standIn.control({ behaviour: 'mute', connections: 1 });
    const clock = new VirtualClock();
    const transcript = hear(speechToText({ limitMs: 600, clock }), 'one two');
    await eventually(async () => expect((await streams())[0]?.audioMs).toBe(480 + FINALIZE_MS));
    await clock.advance(300);
    expect(await transcript).toBe('one two');
    expect(await streams()).toHaveLength(2);
  });
});
