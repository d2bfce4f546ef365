import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { bytesFromSamples } from '@calls/audio/pcm';
import { parseWav } from '@calls/audio/wav';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import Cartesia from '@cartesia/cartesia-js';
import { DeepgramClient } from '@deepgram/sdk';
import { TextToSpeechClient } from '@google-cloud/text-to-speech';
import { credentials } from '@grpc/grpc-js';
import { ApiError, InworldTTS } from '@inworld/tts';
import { JWT } from 'google-auth-library';
import Lmnt from 'lmnt-node';
import OpenAI from 'openai';
import { startSttStandIn } from '../support/stt-stand-in/start-stt-stand-in.ts';
import { toneSpeech } from '../support/stt-stand-in/tone-words.ts';
import { createServiceAccount, type ServiceAccount } from '../support/tts-stand-ins/account.ts';
import { startTtsStandIns } from '../support/tts-stand-ins/start-tts-stand-ins.ts';

/** Checks the stand-ins for vendors with the official clients of the vendors. */

const API_KEY = 'key-of-the-vendor';
const WORDS = 'one two three';
const account = createServiceAccount();

const [ai, stt, tts] = await Promise.all([
  startAiStandIn({ apiKey: API_KEY }),
  startSttStandIn({ apiKey: API_KEY }),
  startTtsStandIns({ apiKey: API_KEY, publicKeyPem: account.publicKeyPem }),
]);
afterAll(async () => {
  for (const standIn of [ai, stt, tts]) await standIn[Symbol.asyncDispose]();
});

describe('the OpenAI client', () => {
  const clientWith = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: ai.baseUrl, maxRetries: 0 });

  it('receives streamed completions with tool calls and usage', async () => {
    await ai.control({
      llm: {
        replies: [{ text: 'One moment.', toolCalls: [{ name: 'find', arguments: { word: 'two' } }] }, WORDS],
      },
    });
    // Runs the tool, sends its result and assembles both responses.
    const runner = clientWith(API_KEY).chat.completions.runTools({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Find it.' }],
      stream: true,
      stream_options: { include_usage: true },
      tools: [
        {
          type: 'function',
          function: {
            name: 'find',
            description: 'Finds a word.',
            parameters: { type: 'object', properties: { word: { type: 'string' } } },
            parse: JSON.parse,
            function: ({ word }: { word: string }) => `found ${word}`,
          },
        },
      ],
    });
    await runner.done();
    expect(runner.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Find it.'],
      ['assistant', 'One moment.'],
      ['tool', 'found two'],
      ['assistant', WORDS],
    ]);
    for (const { model, created, usage } of runner.allChatCompletions()) {
      expect(model).toBe('gpt-4o-mini');
      expect(created).toBeGreaterThan(0);
      expect(usage?.completion_tokens).toBeGreaterThan(0);
    }
  });

  it('receives speech and its transcript', async () => {
    await ai.control({ stt: { replies: [WORDS] } });
    const client = clientWith(API_KEY);
    const asked = { model: 'tts-1', voice: 'alloy', input: WORDS, response_format: 'wav' } as const;
    const speech = await (await client.audio.speech.create(asked)).arrayBuffer();
    expect(parseWav(Buffer.from(speech)).samples.length).toBeGreaterThan(0);
    const file = await OpenAI.toFile(speech, 'speech.wav');
    const { text } = await client.audio.transcriptions.create({ model: 'whisper-1', file, language: 'en' });
    expect(text).toBe(WORDS);
  });

  it('receives an authentication error for a wrong key', async () => {
    const asked = { model: 'tts-1', voice: 'alloy', input: WORDS } as const;
    await expect(clientWith('wrong').audio.speech.create(asked)).rejects.toThrow(OpenAI.AuthenticationError);
  });
});

describe('the Cartesia client', () => {
  const clientWith = (apiKey: string): Cartesia =>
    new Cartesia({ apiKey, baseURL: tts.httpUrl, maxRetries: 0 });
  const asked = {
    model_id: 'sonic-3',
    transcript: WORDS,
    voice: { mode: 'id', id: 'voice' },
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
    add_timestamps: true,
  } as const;

  it('receives audio with word timings', async () => {
    let audioBytes = 0;
    const words: string[] = [];
    const types: string[] = [];
    for await (const event of await clientWith(API_KEY).tts.generateSSE(asked)) {
      types.push(event.type);
      if (event.type === 'chunk') audioBytes += Buffer.from(event.data, 'base64').length;
      if (event.type === 'timestamps') words.push(...event.word_timestamps.words);
    }
    expect(audioBytes).toBeGreaterThan(0);
    expect(words.join(' ')).toBe(WORDS);
    expect(types.at(-1)).toBe('done');
  });

  it('receives an authentication error for a wrong key', async () => {
    await expect(clientWith('wrong').tts.generateSSE(asked)).rejects.toThrow(Cartesia.AuthenticationError);
  });
});

describe('the LMNT client', () => {
  const clientWith = (apiKey: string): Lmnt => new Lmnt({ apiKey, baseURL: tts.httpUrl, maxRetries: 0 });
  const asked = { text: WORDS, voice: 'leah', format: 'pcm_s16le', sample_rate: 16_000 } as const;

  it('receives audio', async () => {
    const audio = await (await clientWith(API_KEY).speech.generate(asked)).arrayBuffer();
    expect(audio.byteLength).toBeGreaterThan(0);
  });

  it('receives an authentication error for a wrong key', async () => {
    await expect(clientWith('wrong').speech.generate(asked)).rejects.toThrow(Lmnt.AuthenticationError);
  });
});

describe('the Deepgram client', () => {
  const deepgram = (): DeepgramClient => {
    const url = new URL(stt.baseUrl).origin;
    const environment = { base: url, production: url, agent: url, agentRest: url };
    return new DeepgramClient({ apiKey: API_KEY, environment });
  };
  beforeEach(() => stt.control());

  it('receives interim results, the final result after Finalize, and the metadata at the end', async () => {
    const connection = await deepgram().listen.v1.connect({
      Authorization: `Token ${API_KEY}`,
      model: 'nova-3',
      encoding: 'linear16',
      sample_rate: 16_000,
      channels: 1,
      interim_results: 'true',
      endpointing: 'false',
      keyterm: ['Ada', 'Grand Hotel'],
      // Prevents a new connection after every end.
      reconnectAttempts: 0,
    });
    const speech = toneSpeech('one two three four five');
    const results: [text: string, isFinal: boolean | undefined][] = [];
    const metadata = await new Promise((resolve, reject) => {
      connection.on('open', () => {
        for (let from = 0; from < speech.length; from += 320)
          connection.sendMedia(bytesFromSamples(speech.subarray(from, from + 320)));
      });
      connection.on('message', (message) => {
        if (message.type === 'Metadata') resolve(message);
        if (message.type !== 'Results') return;
        // Sent after the first result, because an immediate `Finalize` could prevent interim results.
        if (results.length === 0) connection.sendFinalize({ type: 'Finalize' });
        results.push([message.channel.alternatives[0]?.transcript ?? '', message.is_final]);
        if (message.from_finalize === true) connection.sendCloseStream({ type: 'CloseStream' });
      });
      connection.on('error', reject);
      connection.on('close', ({ code }) => reject(new Error(`closed with ${code}`)));
      connection.connect();
    }).finally(() => connection.close());
    expect(results.some(([, isFinal]) => isFinal === false)).toBe(true);
    expect(results.filter(([, isFinal]) => isFinal === true)).toEqual([['one two three four five', true]]);
    expect(metadata).toMatchObject({ channels: 1, duration: speech.length / 16_000 });
    expect((await stt.report()).streams).toMatchObject([{ keyTerms: ['Ada', 'Grand Hotel'] }]);
  });

  it('receives the turns of Flux, which end by themselves or by ForceEndTurn', async () => {
    const connection = await deepgram().listen.v2.connect({
      Authorization: `Token ${API_KEY}`,
      model: 'flux-general-multi',
      encoding: 'linear16',
      sample_rate: 16_000,
      language_hint: 'en',
      keyterm: ['Ada', 'Grand Hotel'],
      reconnectAttempts: 0,
    });
    const pause = new Int16Array(16_000);
    const turns: object[] = [];
    let isConnected = false;
    await new Promise<void>((resolve, reject) => {
      connection.on('message', (message) => {
        if (message.type === 'Error') reject(new Error('the stand-in sent an error'));
        if (message.type === 'Connected') {
          isConnected = true;
          for (const part of [toneSpeech('one two'), pause, toneSpeech('three four')])
            connection.sendMedia(bytesFromSamples(part));
        }
        if (message.type !== 'TurnInfo') return;
        const { event, turn_index, transcript, trigger, end_of_turn_confidence } = message;
        if (event === 'EndOfTurn') turns.push({ turn_index, transcript, trigger, end_of_turn_confidence });
        else if (turn_index === 1 && event === 'StartOfTurn')
          connection.sendForceEndTurn({ type: 'ForceEndTurn' });
        if (turns.length === 2) connection.sendCloseStream({ type: 'CloseStream' });
      });
      connection.on('error', reject);
      connection.on('close', ({ code }) => {
        if (code === 1000) resolve();
        else reject(new Error(`closed with ${code}`));
      });
      connection.connect();
    }).finally(() => connection.close());
    expect(isConnected).toBe(true);
    expect(turns).toEqual([
      {
        turn_index: 0,
        transcript: 'one two',
        trigger: 'model',
        end_of_turn_confidence: 1,
      },
      {
        turn_index: 1,
        transcript: expect.stringMatching(/^three/),
        trigger: 'manual',
        end_of_turn_confidence: expect.any(Number),
      },
    ]);
    expect((await stt.report()).streams).toMatchObject([
      { keyTerms: ['Ada', 'Grand Hotel'], query: { language_hint: 'en' } },
    ]);
  });
});

describe('the Google Cloud client', () => {
  const clients: TextToSpeechClient[] = [];
  afterAll(() => Promise.all(clients.map((client) => client.close())));

  /** The client sends no tokens over connections without TLS. Therefore these options add its token. */
  async function clientWith({ keyJson }: ServiceAccount) {
    const { client_email: email, private_key: key } = JSON.parse(keyJson) as Record<string, string>;
    const authClient = new JWT({ email: email!, key: key! });
    const { hostname, port } = new URL(tts.grpcUrl);
    const sslCreds = credentials.createInsecure();
    const client = new TextToSpeechClient({
      apiEndpoint: hostname,
      port: Number(port),
      sslCreds,
      authClient,
    });
    clients.push(client);
    const headers = Object.fromEntries(
      await authClient.getRequestHeaders('https://texttospeech.googleapis.com/'),
    );
    return { client, options: { otherArgs: { headers } } };
  }
  const chirp = { name: 'en-US-Chirp3-HD-Charon', languageCode: 'en-US' };

  it('receives streamed audio', async () => {
    const { client, options } = await clientWith(account);
    const stream = client.streamingSynthesize(options);
    stream.write({
      streamingConfig: {
        voice: chirp,
        streamingAudioConfig: { audioEncoding: 'PCM', sampleRateHertz: 24_000 },
      },
    });
    for (const word of WORDS.split(' ')) stream.write({ input: { text: `${word} ` } });
    stream.end();
    let audioBytes = 0;
    for await (const { audioContent } of stream as AsyncIterable<{ audioContent: Uint8Array }>)
      audioBytes += audioContent.length;
    expect(audioBytes).toBeGreaterThan(0);
  });

  it('receives a WAV file', async () => {
    const { client, options } = await clientWith(account);
    const [{ audioContent }] = await client.synthesizeSpeech(
      {
        input: { text: WORDS },
        voice: { name: 'en-US-Neural2-A', languageCode: 'en-US' },
        audioConfig: { audioEncoding: 'LINEAR16', sampleRateHertz: 24_000, speakingRate: 1.2 },
      },
      options,
    );
    expect(parseWav(Buffer.from(audioContent as Uint8Array)).samples.length).toBeGreaterThan(0);
  });

  it('receives an authentication error for the key of another account', async () => {
    const { client, options } = await clientWith(createServiceAccount());
    const asked = {
      input: { text: WORDS },
      voice: chirp,
      audioConfig: { audioEncoding: 'LINEAR16' },
    } as const;
    await expect(client.synthesizeSpeech(asked, options)).rejects.toMatchObject({ code: 16 });
  });
});

describe('the Inworld client', () => {
  const clientWith = (apiKey: string) => InworldTTS({ apiKey, baseUrl: tts.httpUrl, maxRetries: 0 });
  const asked = {
    text: WORDS,
    voice: 'Dennis',
    model: 'inworld-tts-2',
    encoding: 'PCM',
    sampleRate: 24_000,
    applyTextNormalization: 'ON',
    deliveryMode: 'CREATIVE',
    language: 'en-US',
  } as const;

  it('receives audio with word timings', async () => {
    let audioBytes = 0;
    const words: string[] = [];
    const stream = clientWith(API_KEY).streamWithTimestamps({ ...asked, timestampType: 'WORD' });
    for await (const { audio, timestamps } of stream) {
      audioBytes += audio.length;
      words.push(...(timestamps?.wordAlignment?.words ?? []));
    }
    expect(audioBytes).toBeGreaterThan(0);
    expect(words.join(' ')).toBe(WORDS);
  });

  it('receives an authentication error for a wrong key', async () => {
    await expect(clientWith('wrong').stream(asked).next()).rejects.toThrow(ApiError);
  });
});
