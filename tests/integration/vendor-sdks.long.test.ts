import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import WebSocket from 'ws';
import { createServiceAccount } from '../support/tts-stand-ins/account.ts';
import { startTtsStandIns, type TtsStandIns } from '../support/tts-stand-ins/start-tts-stand-ins.ts';

/** Its 23,500 files are too many to install for every run of the tests. Therefore this test installs it from npm. */
const CLIENT = '@elevenlabs/elevenlabs-js@2.73.0';

const API_KEY = 'key-of-the-vendor';
const WORDS = 'one two three';

let folder: string;
let load: NodeJS.Require;
let tts: TtsStandIns;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'calls-vendor-client-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...options, CLIENT], { cwd: folder, stdio: 'inherit' });
  load = createRequire(join(folder, 'package.json'));
  tts = await startTtsStandIns({ apiKey: API_KEY, publicKeyPem: createServiceAccount().publicKeyPem });
}, 600_000);
afterAll(async () => {
  await tts[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface SpeechRequest {
  text: string;
  modelId: string;
  outputFormat: string;
  languageCode: string;
  previousText: string;
  voiceSettings: object;
  pronunciationDictionaryLocators: object[];
}

interface ElevenLabs {
  ElevenLabsClient: new (options: { apiKey: string; baseUrl: string; maxRetries: number }) => {
    textToSpeech: {
      streamWithTimestamps(
        voiceId: string,
        request: SpeechRequest,
      ): Promise<AsyncIterable<{ audioBase64: string; alignment?: { characters: string[] } }>>;
    };
  };
  ElevenLabsError: new () => Error;
  serialization: Record<
    string,
    { parseOrThrow(json: unknown, options?: object): unknown; jsonOrThrow(value: unknown): unknown }
  >;
}

describe('the ElevenLabs client', () => {
  const elevenLabs = (): ElevenLabs => ({
    ...(load('@elevenlabs/elevenlabs-js') as ElevenLabs),
    serialization: load('@elevenlabs/elevenlabs-js/serialization') as ElevenLabs['serialization'],
  });
  const clientWith = (apiKey: string) =>
    new (elevenLabs().ElevenLabsClient)({ apiKey, baseUrl: tts.httpUrl, maxRetries: 0 });
  const voice = {
    voiceSettings: { stability: 0.4, similarityBoost: 0.3, style: 0.2, useSpeakerBoost: false, speed: 1.1 },
    pronunciationDictionaryLocators: [{ pronunciationDictionaryId: 'd1', versionId: 'v1' }],
  };
  const asked: SpeechRequest = {
    text: WORDS,
    modelId: 'eleven_flash_v2_5',
    outputFormat: 'pcm_24000',
    languageCode: 'en',
    previousText: 'zero',
    ...voice,
  };

  it('receives audio with character timings', async () => {
    let audioBytes = 0;
    let text = '';
    for await (const piece of await clientWith(API_KEY).textToSpeech.streamWithTimestamps('voice', asked)) {
      audioBytes += Buffer.from(piece.audioBase64, 'base64').length;
      text += piece.alignment?.characters.join('') ?? '';
    }
    expect(audioBytes).toBeGreaterThan(0);
    expect(text.trim()).toBe(WORDS);
  });

  it('receives an authentication error for a wrong key', async () => {
    const { ElevenLabsError } = elevenLabs();
    await expect(clientWith('wrong').textToSpeech.streamWithTimestamps('voice', asked)).rejects.toThrow(
      ElevenLabsError,
    );
  });

  it('has types that match the messages of the WebSocket', async () => {
    const { InitializeConnection, SendText, CloseConnection, AudioOutput, FinalOutput } =
      elevenLabs().serialization;
    const url = `${tts.httpUrl.replace('http', 'ws')}/v1/text-to-speech/voice/stream-input?output_format=pcm_24000`;
    const socket = new WebSocket(url, { headers: { 'xi-api-key': API_KEY } });
    const messages = await new Promise<object[]>((resolve, reject) => {
      const received: object[] = [];
      socket.on('open', () => {
        socket.send(JSON.stringify(InitializeConnection!.jsonOrThrow({ text: ' ', ...voice })));
        socket.send(JSON.stringify(SendText!.jsonOrThrow({ text: `${WORDS} ` })));
        socket.send(JSON.stringify(CloseConnection!.jsonOrThrow({ text: '' })));
      });
      socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString('utf8')) as object));
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
    expect(FinalOutput!.parseOrThrow(messages.pop())).toEqual({ isFinal: true });
    let text = '';
    // The stand-in has `isFinal: null`, as the vendor does and as its client does not declare.
    for (const message of messages) {
      const { alignment } = AudioOutput!.parseOrThrow(message, { unrecognizedObjectKeys: 'strip' }) as {
        alignment?: { chars?: string[] };
      };
      text += alignment?.chars?.join('') ?? '';
    }
    expect(text.trim()).toBe(WORDS);
  });
});
