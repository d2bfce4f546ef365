import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { samplesFromBytes } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';
import type { LanguageModel, ModelRequest } from '@calls/engine-ports/language-model';
import { type ProviderErrorKind, ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { findFreePorts } from '@calls/local-stack/free-port';
import { createConnectionPool } from '@calls/providers/http/connection-pool';
import { createOpenAiCompatibleLanguageModel } from '@calls/providers/llm/openai-compatible/adapter';
import { createOpenAiCompatibleSpeechToText } from '@calls/providers/stt/openai-compatible/adapter';
import { createOpenAiCompatibleTextToSpeech } from '@calls/providers/tts/openai-compatible/adapter';
import type { Behaviour } from '@calls/testkit/ai-stand-in/behaviour';
import { loadSpeechRecording, SPEECH_RATE_HZ } from '@calls/testkit/ai-stand-in/speech-recording';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { collect } from '@calls/testkit/collect';
import type { FailureCase } from '@calls/testkit/conformance/failure-case';
import { describeLanguageModel } from '@calls/testkit/conformance/language-model';
import { SentenceSource } from '@calls/testkit/conformance/sentence-source';
import { describeSpeechToText } from '@calls/testkit/conformance/speech-to-text';
import { describeTextToSpeech } from '@calls/testkit/conformance/text-to-speech';

const API_KEY = 'key-of-the-test';
/** A generous limit that a working provider never reaches, even on a busy machine. */
const AMPLE_MS = 60_000;
/** A limit that a failing provider exceeds. */
const SHORT_MS = 250;
const FREED_LIMIT_MS = 60_000;

const standIn = await startAiStandIn({ apiKey: API_KEY, llmTokenGapMs: 4 });
const pool = createConnectionPool();
const speech = await speechAt16kHz();

beforeEach(async () => {
  const well = { behaviour: 'ok', errorStatus: 500, slowMs: 3 * SHORT_MS } as const;
  await standIn.control({
    forgetRequests: true,
    stt: { ...well, delayMs: 0, replies: [] },
    llm: { ...well, replies: [], rules: [], toolCallStyle: 'pieces' },
    tts: { ...well, realTimeFactor: 0.02 },
  });
});

afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
});

const endpoint = (baseUrl = standIn.baseUrl, apiKey = API_KEY) => ({ baseUrl, apiKey });

function speechToText(at = endpoint(), limitMs = AMPLE_MS): SpeechToText {
  return createOpenAiCompatibleSpeechToText({
    endpoint: at,
    model: 'whisper-test',
    limits: { connectTimeoutMs: AMPLE_MS, timeoutMs: limitMs, maxUtteranceMs: 60_000 },
    pool,
    clock: systemClock,
    log: silentLogger,
  });
}

function languageModel(at = endpoint(), limitMs = AMPLE_MS, maxResponseCharacters = 10_000): LanguageModel {
  return createOpenAiCompatibleLanguageModel({
    endpoint: at,
    model: 'chat-test',
    acceptsAudio: false,
    extraBody: {},
    limits: {
      connectTimeoutMs: AMPLE_MS,
      firstTokenTimeoutMs: limitMs,
      gapTimeoutMs: limitMs,
      totalTimeoutMs: 2 * AMPLE_MS,
      maxResponseCharacters,
      maxToolCalls: 8,
      maxArgumentCharacters: 1000,
    },
    pool,
    clock: systemClock,
  });
}

function textToSpeech(at = endpoint(), limitMs = AMPLE_MS): TextToSpeech {
  return createOpenAiCompatibleTextToSpeech({
    endpoint: at,
    model: 'speech-test',
    limits: {
      connectTimeoutMs: AMPLE_MS,
      firstAudioTimeoutMs: limitMs,
      gapTimeoutMs: limitMs,
      maxSentenceMs: 60_000,
    },
    pool,
    clock: systemClock,
  });
}

describeSpeechToText('openai-compatible', {
  create: () => Promise.resolve(speechToText()),
  speech: () => Promise.resolve(speech),
  words: /hello/,
  allFreed: () => allFreed(),
  failures: failureCases('stt', speechToText, { garbage: 'malformed', cut: 'cut', stall: 'timeout' }),
});

describeLanguageModel('openai-compatible', {
  create: () => Promise.resolve(languageModel()),
  createCalling: async () => {
    const reply = {
      text: 'Let me see.',
      toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }],
    };
    await standIn.control({ llm: { rules: [{ last: 'user', contains: 'weather', reply }] } });
    return languageModel();
  },
  model: 'svc-v0.7',
  allFreed: () => allFreed(),
  failures: failureCases('llm', languageModel, {
    garbage: 'malformed',
    empty: 'malformed',
    cut: 'cut',
    stall: 'timeout',
  }),
});

describeTextToSpeech('openai-compatible', {
  create: () => Promise.resolve(textToSpeech()),
  voice: { engine: 'openai-compatible', settings: { voice: 'alloy' } },
  allFreed: () => allFreed(),
  failures: failureCases('tts', textToSpeech, {
    garbage: 'malformed',
    empty: 'malformed',
    cut: 'cut',
    stall: 'timeout',
  }),
});

describeTextToSpeech('openai-compatible with WAV responses', {
  create: () => Promise.resolve(textToSpeech()),
  voice: {
    engine: 'openai-compatible',
    settings: { voice: 'alloy', responseFormat: 'wav', sampleRateHz: 8000 },
  },
  allFreed: () => allFreed(),
});

describe('openai-compatible speech to text', () => {
  const transcribe = async (
    samples: Int16Array,
    languageHint: string | null = null,
    keyTerms?: readonly string[],
  ): Promise<string> => {
    const stream = speechToText().open({ languageHint, keyTerms }, new AbortController().signal);
    stream.push(samples);
    const { text } = await stream.finalize();
    stream.close();
    return text;
  };

  it('sends 16 kHz WAV, the model, JSON, temperature 0 and the language as ISO 639-1', async () => {
    await transcribe(speech, 'pt-BR');
    await transcribe(speech, 'yue');
    const [hinted, without] = (await standIn.requests()).recent;
    expect(hinted).toMatchObject({
      outcome: 'answered',
      authorization: `Bearer ${API_KEY}`,
      asked: {
        model: 'whisper-test',
        language: 'pt',
        responseFormat: 'json',
        temperature: '0',
        sampleRateHz: 16_000,
        audioMs: (speech.length * 1000) / 16_000,
      },
    });
    expect(without?.asked['language']).toBeNull();
  });

  it('sends the first key terms as the prompt, up to its token limit', async () => {
    const short = speech.subarray(0, 1600);
    await transcribe(short, null, ['Ada', 'Grand Hotel']);
    await transcribe(short, null, ['a'.repeat(300), 'ü'.repeat(150), 'b']);
    await transcribe(short);
    const prompts = (await standIn.requests()).recent.map(({ asked }) => asked['prompt']);
    expect(prompts).toEqual(['Ada, Grand Hotel', `${'a'.repeat(300)}, ${'ü'.repeat(150)}`, null]);
  });

  it('sends no request without audio and pads short audio', async () => {
    expect(await transcribe(new Int16Array(0))).toBe('');
    expect((await standIn.requests()).counts.stt).toBe(0);
    await transcribe(speech.subarray(8000, 8400));
    expect((await standIn.requests()).recent[0]?.asked['audioMs']).toBe(100);
  });

  it('returns no words for the description of a sound', async () => {
    await standIn.control({ stt: { replies: ['[BLANK_AUDIO]'] } });
    expect(await transcribe(speech)).toBe('');
  });

  it('cancels a request that a newer one replaces', async () => {
    await standIn.control({ stt: { delayMs: 150 } });
    const stream = speechToText().open({ languageHint: null }, new AbortController().signal);
    stream.push(speech);
    const first = stream.finalize();
    await until(async () => (await standIn.requests()).counts.stt === 1);
    stream.push(speech);
    const second = stream.finalize();
    await expect(first).rejects.toMatchObject({ kind: 'superseded' });
    await expect(second).resolves.toEqual({ text: 'hello there' });
    stream.close();
    expect(await standIn.requests()).toMatchObject({ counts: { stt: 2 }, aborted: { stt: 1 } });
  });

  it('retries after an error', async () => {
    await standIn.control({ stt: { behaviour: 'error' } });
    const stream = speechToText().open({ languageHint: null }, new AbortController().signal);
    stream.push(speech);
    await expect(stream.finalize()).rejects.toMatchObject({ kind: 'refused' });
    await standIn.control({ stt: { behaviour: 'ok' } });
    await expect(stream.finalize()).resolves.toEqual({ text: 'hello there' });
    stream.close();
  });
});

describe('openai-compatible language model', () => {
  const request: ModelRequest = {
    model: 'svc-v0.7',
    temperature: 0.3,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'when does the ferry leave?' },
    ],
  };
  const respond = (model = languageModel()) => collect(model.respond(request, new AbortController().signal));

  it('sends the configured model, the messages and the temperature, and requests usage', async () => {
    const chunks = await respond();
    expect((await standIn.requests()).recent[0]).toMatchObject({
      authorization: `Bearer ${API_KEY}`,
      asked: { model: 'chat-test', messages: 2, temperature: 0.3, includeUsage: true },
    });
    expect(chunks.at(-1)).toMatchObject({ type: 'usage', inputTokens: 7 });
    const text = chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('');
    expect(text).toContain('you said when does the ferry leave.');
  });

  it('preserves characters that are split between network chunks', async () => {
    const reply = 'Größe, 你好, 🙂 — done.';
    await standIn.control({ llm: { replies: [reply] } });
    const chunks = await respond();
    expect(chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('')).toBe(reply);
  });

  it('does not return the reasoning with which a response begins', async () => {
    await standIn.control({ llm: { replies: ['<think>They greet me.</think>\n\nHello there.'] } });
    const chunks = await respond();
    expect(chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('')).toBe('Hello there.');
  });

  it('names thinking as the cause when a response does not begin in time', async () => {
    await standIn.control({ llm: { behaviour: 'stall', replies: ['<think>They greet me. </think> Hi.'] } });
    await expect(respond(languageModel(endpoint(), 4 * SHORT_MS))).rejects.toMatchObject({
      kind: 'timeout',
      message:
        `openai-compatible-llm: no first token within ${4 * SHORT_MS} ms: the model was still thinking; ` +
        'to turn thinking off, see LLM_EXTRA_BODY',
    });
  });

  it('truncates a response at the length limit and closes the request', async () => {
    const chunks = await respond(languageModel(endpoint(), AMPLE_MS, 20));
    expect(chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('')).toHaveLength(20);
    await allFreed();
  });

  it('reuses one connection for consecutive responses', async () => {
    await respond();
    const before = await standIn.requests();
    await respond();
    await respond();
    const after = await standIn.requests();
    // Each of the two reports uses its own connection.
    expect(after.connections - before.connections).toBe(1);
  });

  it('reports an invalid key without revealing it', async () => {
    const error = await respond(languageModel(endpoint(standIn.baseUrl, 'wrong-key'))).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ kind: 'refused', retryable: false });
    expect((error as Error).message).toBe('openai-compatible-llm: status 401: Incorrect API key provided');
  });
});

describe('openai-compatible text to speech', () => {
  const VOICE = { engine: 'openai-compatible', settings: { voice: 'nova', speed: 1.25 } };

  it('prefetches one sentence ahead of the sentence that is being read', async () => {
    await standIn.control({ tts: { realTimeFactor: 1 } });
    const source = SentenceSource.of(['One two three four.', 'Five six.', 'Seven eight.']);
    const speaking = textToSpeech().synthesize(
      source,
      { voice: VOICE, languageHint: null },
      new AbortController().signal,
    );
    const chunks = speaking[Symbol.asyncIterator]();
    await chunks.next();
    await until(async () => (await standIn.requests()).counts.tts === 2);
    const report = await standIn.requests();
    expect(report.recent.map((one) => one.asked['input'])).toEqual(['One two three four.', 'Five six.']);
    expect(report.recent[0]).toMatchObject({
      outcome: 'open',
      asked: { model: 'speech-test', voice: 'nova', speed: 1.25, responseFormat: 'pcm' },
    });
    await chunks.return?.();
    await allFreed();
    expect((await standIn.requests()).aborted.tts).toBe(2);
  });

  it('yields every sample in chunks of at most 100 ms, independent of network chunks', async () => {
    const text = 'A sentence of some length, so that its audio comes in many pieces.';
    const chunks = await collect(
      textToSpeech().synthesize(
        SentenceSource.of([text]),
        { voice: { ...VOICE, settings: { voice: 'nova' } }, languageHint: null },
        new AbortController().signal,
      ),
    );
    const audio = chunks.flatMap((chunk) => (chunk.type === 'audio' ? [chunk] : []));
    expect(audio.every((chunk) => chunk.sampleRateHz === 24_000 && chunk.samples.length <= 2400)).toBe(true);
    const samples = audio.flatMap((chunk) => [...chunk.samples]);
    const recording = samplesFromBytes(await loadSpeechRecording());
    expect(samples).toEqual([...recording.subarray(0, text.length * 0.06 * SPEECH_RATE_HZ)]);
  });

  it('yields no audio after an abort, even if data was received', async () => {
    await standIn.control({ tts: { realTimeFactor: 0 } });
    const controller = new AbortController();
    const source = SentenceSource.of(['A sentence that has arrived as a whole.', 'And another one.']);
    const speaking = textToSpeech().synthesize(
      source,
      { voice: VOICE, languageHint: null },
      controller.signal,
    );
    const chunks = speaking[Symbol.asyncIterator]();
    await chunks.next();
    await until(async () => (await standIn.requests()).openRequests === 0);
    const reason = new Error('interrupted');
    controller.abort(reason);
    await expect(chunks.next()).rejects.toBe(reason);
  });

  it('names unknown settings in the error', async () => {
    const voice = { engine: 'openai-compatible', settings: { voice: 'nova', pitch: 3 } };
    const speaking = collect(
      textToSpeech().synthesize(
        SentenceSource.of(['Hi.']),
        { voice, languageHint: null },
        new AbortController().signal,
      ),
    );
    await expect(speaking).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('pitch'),
    });
  });
});

/** The errors of every HTTP provider and those of the role. */
function failureCases<T>(
  role: 'stt' | 'llm' | 'tts',
  create: (at: { baseUrl: string; apiKey: string }, limitMs: number) => T,
  ofRole: Partial<Record<Behaviour, ProviderErrorKind>>,
): FailureCase<T>[] {
  const behaviours: Partial<Record<Behaviour, ProviderErrorKind>> = {
    error: 'refused',
    never: 'timeout',
    slow: 'timeout',
    refuse: 'unreachable',
    ...ofRole,
  };
  const cases = Object.entries(behaviours).map(([behaviour, kind]) => ({
    name: `a server that fails with ${behaviour}`,
    kind,
    create: async () => {
      await standIn.control({ [role]: { behaviour } });
      return create(endpoint(), kind === 'timeout' ? SHORT_MS : AMPLE_MS);
    },
  }));
  return [
    ...cases,
    {
      name: 'no server',
      kind: 'unreachable',
      create: async () => create(endpoint(`http://127.0.0.1:${await findFreePorts(1)}/v1`), AMPLE_MS),
    },
  ];
}

/** Waits until the provider has no open request. */
function allFreed(): Promise<void> {
  return until(async () => (await standIn.requests()).openRequests === 0);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + FREED_LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error('it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function speechAt16kHz(): Promise<Int16Array> {
  const resampler = createResampler(SPEECH_RATE_HZ, 16_000);
  const samples = resampler.process(samplesFromBytes(await loadSpeechRecording()));
  resampler.close();
  return samples.subarray(0, 32_000);
}

it('ProviderError is retryable only when the provider was unreachable, timed out or broke off', () => {
  const retryable = (kind: ProviderErrorKind): boolean => new ProviderError('p', kind, 'm').retryable;
  expect(['unreachable', 'timeout', 'cut'].every((kind) => retryable(kind as ProviderErrorKind))).toBe(true);
  expect(['refused', 'malformed', 'unavailable'].some((kind) => retryable(kind as ProviderErrorKind))).toBe(
    false,
  );
});
