import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { SpeechCache } from './cached-speech.ts';
import { noInterims } from './spoken-words.ts';
import { collected, one } from './tracked-engines.ts';

const { signal } = new AbortController();
const speech = (level: number): Int16Array => new Int16Array(320).fill(level);

/** Returns the number of samples as the transcript. */
class CountingEngine implements SpeechToText {
  opened = 0;
  transcribed = 0;

  open(): ReturnType<SpeechToText['open']> {
    this.opened += 1;
    let samples = 0;
    return {
      push: ({ length }) => {
        samples += length;
      },
      finalize: () => {
        this.transcribed += 1;
        return Promise.resolve({ text: `${samples} samples` });
      },
      interims: noInterims(),
      close: () => undefined,
    };
  }
}

async function transcripts(
  engine: SpeechToText,
  levels: readonly number[],
  language = 'en',
): Promise<string[]> {
  const stream = engine.open({ languageHint: language }, signal);
  const texts: string[] = [];
  for (const level of levels) {
    stream.push(speech(level));
    texts.push((await stream.finalize()).text);
  }
  stream.close();
  return texts;
}

describe('SpeechCache', () => {
  it('transcribes the same audio of an utterance once per engine and language', async () => {
    const cache = await SpeechCache.open(null);
    const engine = new CountingEngine();
    const cached = cache.speechToText(engine, 'first');
    for (let i = 0; i < 3; i += 1)
      expect(await transcripts(cached, [1, 2])).toEqual(['320 samples', '640 samples']);
    expect(engine).toMatchObject({ opened: 1, transcribed: 2 });
    // Cached audio is pushed to the engine only once it is needed.
    expect(await transcripts(cached, [1, 3])).toEqual(['320 samples', '640 samples']);
    expect(engine.transcribed).toBe(3);
    // Calls at the same time share a transcript.
    const texts = await Promise.all([1, 2, 3].map(() => transcripts(cached, [4])));
    expect(texts.flat()).toEqual(['320 samples', '320 samples', '320 samples']);
    expect(engine.transcribed).toBe(4);
    await transcripts(cached, [1], 'de');
    await transcripts(cache.speechToText(engine, 'second'), [1]);
    expect(engine.transcribed).toBe(6);
  });

  it('stores transcripts for later runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'calls-test-'));
    const path = join(folder, 'new', 'transcripts');
    const engine = new CountingEngine();
    for (let i = 0; i < 2; i += 1) {
      const cache = await SpeechCache.open(path);
      expect(await transcripts(cache.speechToText(engine, 'first'), [7])).toEqual(['320 samples']);
      await cache.save();
    }
    expect(engine.transcribed).toBe(1);
    await rm(folder, { recursive: true });
  });

  it('synthesizes the same sentence once per voice', async () => {
    const cache = await SpeechCache.open(null);
    let spoken = 0;
    const engine: TextToSpeech = {
      async *synthesize(sentences) {
        for await (const text of sentences) {
          spoken += 1;
          yield { type: 'sentence', text };
          yield { type: 'audio', samples: speech(spoken), sampleRateHz: 16_000 };
        }
      },
    };
    const say = (text: string, voice: string) => {
      const options = { voice: { engine: voice, settings: {} }, languageHint: null };
      return collected(cache.textToSpeech(engine).synthesize(one(text), options, signal));
    };
    const [first, second] = await Promise.all([say('Hello.', 'ada'), say('Hello.', 'ada')]);
    expect(second).toEqual(first);
    expect(await say('Hello.', 'ada')).toEqual(first);
    expect(spoken).toBe(1);
    await say('Hello.', 'tom');
    await say('Hi.', 'ada');
    expect(spoken).toBe(3);
  });
});
