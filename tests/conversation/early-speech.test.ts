import { describe, expect, it } from '@jest/globals';
import { delay } from '@calls/foundation/clock';
import { ScriptedTextToSpeech } from '@calls/testkit/scripted/scripted-providers';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { sentencesOf } from '@calls/conversation/response/sentence-updates';
import { Speaker } from '@calls/conversation/response/speaker';

const TOKEN_MS = 20;
const TTS_MS = 50;

interface Spoken {
  /** Sentences that were played. */
  shown: string[];
  /** Sentences with audio from the voice, including those that were not played. */
  synthesized: string[];
  firstAudioMs: number | null;
  errors: Error[];
  /** Number of syntheses that are still running. */
  running: number;
}

/** Speaks the tokens of a model. The first token arrives at 0 ms. */
async function speak(
  tokens: readonly string[],
  { failing = false, stopAtMs = Infinity }: { failing?: boolean; stopAtMs?: number } = {},
): Promise<Spoken> {
  const clock = new VirtualClock();
  const tts = new ScriptedTextToSpeech(clock, TTS_MS);
  if (failing) tts.failures.set('own', 'fail');
  const errors: Error[] = [];
  const voice = (engine: string) => ({ engine, settings: {} });
  const speaker = new Speaker({
    textToSpeech: tts,
    voice: voice('own'),
    fallbackVoice: voice('fallback'),
    languageHint: null,
    signatureHeaders: () => ({}),
    clock,
    onError: (error) => errors.push(error),
  });
  async function* texts(): AsyncGenerator<string> {
    for (const [i, token] of tokens.entries()) {
      if (i > 0) await delay(clock, TOKEN_MS);
      yield token;
    }
  }
  const stop = new AbortController();
  const shown: string[] = [];
  let firstAudioMs: number | null = null;
  const startMs = clock.nowMs();
  const done = (async () => {
    for await (const chunk of speaker.speak(sentencesOf(texts()), stop.signal)) {
      if (chunk.type === 'sentence') shown.push(chunk.shown);
      if (chunk.type === 'audio') firstAudioMs ??= clock.nowMs() - startMs;
    }
  })().catch((thrown: unknown) => {
    if (!stop.signal.aborted) throw thrown;
  });
  if (stopAtMs < Infinity) {
    await clock.advance(stopAtMs);
    stop.abort(new Error('interrupted'));
  }
  await clock.advance(5000);
  await done;
  return { shown, synthesized: tts.spoken, firstAudioMs, errors, running: tts.running };
}

describe('Speaker', () => {
  it('synthesizes a sentence at its end, without waiting for the next token', async () => {
    const spoken = await speak(['Hello', ' there', '.', ' How', ' are', ' you', '?']);
    expect(spoken).toEqual({
      shown: ['Hello there.', ' How are you?'],
      synthesized: ['Hello there.', 'How are you?'],
      firstAudioMs: 2 * TOKEN_MS + TTS_MS,
      errors: [],
      running: 0,
    });
  });

  it.each([
    {
      tokens: ['See', ' example', '.', 'com', ' now', '.', ' Bye', '.'],
      shown: ['See example.com now.', ' Bye.'],
    },
    { tokens: ['It', ' is', ' 100', '.', '5', ' km', '.'], shown: ['It is 100.5 km.'] },
    { tokens: ['Really', '?', '!', ' Yes', '.'], shown: ['Really?!', ' Yes.'] },
  ])('cancels early synthesis when the sentence continues: $shown', async ({ tokens, shown }) => {
    const spoken = await speak(tokens);
    expect(spoken.shown).toEqual(shown);
    expect(spoken.synthesized).toEqual(shown.map((text) => text.trim()));
    expect([spoken.errors, spoken.running]).toEqual([[], 0]);
  });

  it.each([
    { tokens: ['Dr', '.', ' Who', ' is', ' here', '.'], shown: ['Dr. Who is here.'] },
    { tokens: ['It', ' costs', ' 3', '.', '5', ' euros', '.'], shown: ['It costs 3.5 euros.'] },
    { tokens: ['At', ' 5', ' p.m.', ' we', ' close', '.'], shown: ['At 5 p.m. we close.'] },
  ])('waits for the next token when the sentence may continue: $shown', async ({ tokens, shown }) => {
    const { firstAudioMs, ...spoken } = await speak(tokens);
    expect(spoken).toEqual({ shown, synthesized: shown, errors: [], running: 0 });
    expect(firstAudioMs).toBe((tokens.length - 1) * TOKEN_MS + TTS_MS);
  });

  it('synthesizes an early sentence with the fallback voice if the voice of the call fails', async () => {
    const spoken = await speak(['Hello', '.', ' Bye', '.'], { failing: true });
    expect(spoken).toMatchObject({ shown: ['Hello.', ' Bye.'], synthesized: ['Hello.', 'Bye.'], running: 0 });
    expect(spoken.errors).toHaveLength(1);
  });

  it('stops the synthesis of an early sentence when the response is discarded', async () => {
    const spoken = await speak(['Hello', '.', ' Bye', '.'], { stopAtMs: 30 });
    expect(spoken).toMatchObject({ shown: [], synthesized: [], errors: [], running: 0 });
  });

  it.each([[['']], [['...']], [[' ', '\n']]])('synthesizes no audio for %j', async (tokens) => {
    expect(await speak(tokens)).toMatchObject({ shown: [], synthesized: [], running: 0 });
  });
});
