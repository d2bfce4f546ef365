import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createConnectionPool, type ConnectionPool } from '@calls/providers/http/connection-pool';
import { createOpenAiCompatibleLanguageModel } from '@calls/providers/llm/openai-compatible/adapter';
import { DEFAULT_LANGUAGE_MODEL_LIMITS } from '@calls/providers/llm/openai-compatible/limits';
import { createDeepgramSpeechToText } from '@calls/providers/stt/deepgram/adapter';
import { createOpenAiCompatibleSpeechToText } from '@calls/providers/stt/openai-compatible/adapter';
import { createOpenAiCompatibleTextToSpeech } from '@calls/providers/tts/openai-compatible/adapter';
import type { ProviderError } from '@calls/engine-ports/provider-error';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { KEYED_TTS_VENDORS } from '@calls/providers/tts/tts-vendors';
import { collect } from '@calls/testkit/collect';
import { SentenceSource } from '@calls/testkit/conformance/sentence-source';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import { WebSocketServer } from 'ws';

const AMPLE_MS = 60_000;
const TTS_LIMITS = {
  connectTimeoutMs: AMPLE_MS,
  firstAudioTimeoutMs: AMPLE_MS,
  gapTimeoutMs: AMPLE_MS,
  maxSentenceMs: AMPLE_MS,
};
const STT_LIMITS = { connectTimeoutMs: AMPLE_MS, timeoutMs: AMPLE_MS, maxUtteranceMs: AMPLE_MS };
const signal = new AbortController().signal;

let server: Server;
let address: string;
let pool: ConnectionPool;
let handler: RequestListener;

beforeEach(async () => {
  pool = createConnectionPool();
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => handler(request, response));
  });
  address = `127.0.0.1:${await listenOnLoopback(server)}`;
});
afterEach(async () => {
  await pool[Symbol.asyncDispose]();
  await closeServer(server);
});

const shared = () => ({ pool, clock: systemClock, log: silentLogger });
const endpoint = (scheme = 'http') => ({ baseUrl: `${scheme}://${address}/v1`, apiKey: 'the-key' });

const answersJson = (body: object): void => {
  handler = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
};

function speak(engine: TextToSpeech, settings: Record<string, unknown>): Promise<unknown> {
  const voice = { engine: 'test', settings };
  return collect(engine.synthesize(SentenceSource.of(['Hello Ada.']), { voice, languageHint: null }, signal));
}

const speakAt = (vendor: string) => async (): Promise<unknown> => {
  const create = await KEYED_TTS_VENDORS.find(({ name }) => name === vendor)?.adapter();
  if (!create) throw new Error(`no vendor ${vendor}`);
  const engine = create({ ...shared(), baseUrl: `http://${address}`, limits: TTS_LIMITS });
  return speak(engine, { apiKey: 'the-key', voiceId: 'ada' });
};

const ROLES: [string, () => Promise<unknown>][] = [
  [
    'a language model',
    () => {
      const model = createOpenAiCompatibleLanguageModel({
        ...shared(),
        endpoint: endpoint(),
        model: 'm',
        acceptsAudio: false,
        extraBody: {},
        limits: DEFAULT_LANGUAGE_MODEL_LIMITS,
      });
      const messages = [{ role: 'user', content: 'Hello Ada.' }] as const;
      return collect(model.respond({ model: 'm', temperature: 0, messages }, signal));
    },
  ],
  [
    'speech to text',
    async () => {
      const options = { ...shared(), endpoint: endpoint(), model: 'm', limits: STT_LIMITS };
      const stream = createOpenAiCompatibleSpeechToText(options).open({ languageHint: null }, signal);
      stream.push(new Int16Array(16_000));
      return stream.finalize().finally(() => stream.close());
    },
  ],
  [
    'text to speech',
    () => {
      const options = { ...shared(), endpoint: endpoint(), model: 'm', limits: TTS_LIMITS };
      return speak(createOpenAiCompatibleTextToSpeech(options), { voice: 'nova' });
    },
  ],
  ['ElevenLabs', speakAt('ElevenLabs')],
  ['Cartesia', speakAt('Cartesia')],
  ['LMNT', speakAt('LMNT')],
];

describe.each(ROLES)('%s', (name, use) => {
  it('reports the reason of an error that has the status 200, without key and text', async () => {
    answersJson({ error: { message: 'no credits for the-key to say "Hello Ada."', type: 'quota' } });
    const error = (await use().catch((thrown: unknown) => thrown)) as ProviderError;
    expect(error.kind).toBe('malformed');
    // Speech to text does not know the text.
    const text = name === 'speech to text' ? 'Hello Ada.' : '[…]';
    expect(error.message).toContain(`no credits for […] to say "${text}"`);
  });
});

it('streaming speech to text reports the reason of an error without a type', async () => {
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.once('message', () => socket.send('{"err_code":"INSUFFICIENT","err_msg":"no credits left"}'));
  });
  const options = { ...shared(), endpoint: endpoint('ws'), model: 'm', limits: STT_LIMITS };
  await using engine = createDeepgramSpeechToText(options);
  const stream = engine.open({ languageHint: null }, signal);
  stream.push(new Int16Array(16_000));
  await expect(stream.finalize()).rejects.toMatchObject({
    message: expect.stringContaining('no credits left'),
  });
  stream.close();
  sockets.close();
});

it.each([['\n'], ['\r\n']])('ElevenLabs audio may have line breaks in its base64: %j', async (lineBreak) => {
  const pcm = Buffer.alloc(4800, 1).toString('base64').replaceAll(/.{76}/gu, `$&${lineBreak}`);
  handler = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify({ audio_base64: pcm })}\n`);
  };
  await expect(speakAt('ElevenLabs')()).resolves.toContainEqual(expect.objectContaining({ type: 'audio' }));
});
