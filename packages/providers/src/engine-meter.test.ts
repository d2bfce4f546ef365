import { describe, expect, it } from '@jest/globals';
import { VIRTUAL_EPOCH_MS, VirtualClock } from '@calls/foundation/virtual-clock';
import { collect } from '@calls/testkit/collect';
import { SentenceSource } from '@calls/testkit/conformance/sentence-source';
import {
  ScriptedLanguageModel,
  ScriptedSpeechToText,
  ScriptedTextToSpeech,
} from '@calls/testkit/scripted/scripted-providers';
import { EngineMeter, MAX_REPORTED_ENGINES } from './engine-meter.ts';

const REQUEST = { model: 'm', messages: [], temperature: 0 };
const VOICE = { voice: { engine: 'any', settings: {} }, languageHint: null };

function setUp() {
  const clock = new VirtualClock();
  const description = {
    role: 'languageModel',
    name: 'any',
    kind: 'hosted',
    model: 'm',
    use: 'default',
  } as const;
  return { clock, meter: new EngineMeter(description, clock), never: new AbortController().signal };
}

describe('EngineMeter', () => {
  it('reports no figures before the first request', () => {
    expect(setUp().meter.report).toMatchObject({ recentMs: [], succeededAtMs: null, failure: null });
  });

  it('measures speech to text from the finalization to the transcript', async () => {
    const { clock, meter, never } = setUp();
    const stt = meter.speechToText(new ScriptedSpeechToText(clock, 120, ['hello', 'fail']));
    const stream = stt.open({ languageHint: null }, never);
    await clock.advance(500);
    const transcript = stream.finalize();
    await clock.advance(120);
    expect(await transcript).toEqual({ text: 'hello' });
    expect(meter.report).toMatchObject({
      recentMs: [120],
      succeededAtMs: VIRTUAL_EPOCH_MS + 620,
      failure: null,
    });
    const failed = expect(stt.open({ languageHint: null }, never).finalize()).rejects.toThrow(
      'transcription',
    );
    await clock.advance(120);
    await failed;
    expect(meter.report.failure).toEqual({ atMs: VIRTUAL_EPOCH_MS + 740, code: 'refused' });
  });

  it('measures a language model from the request to the first token', async () => {
    const { clock, meter, never } = setUp();
    const model = meter.languageModel(new ScriptedLanguageModel(clock, 80, ['Yes, of course.', 'I CUT ']));
    const reply = collect(model.respond(REQUEST, never));
    await clock.advance(1000);
    expect((await reply).length).toBeGreaterThan(3);
    expect(meter.report).toMatchObject({ recentMs: [80], failure: null });
    const cut = expect(collect(model.respond(REQUEST, never))).rejects.toThrow('ended early');
    await clock.advance(80);
    await cut;
    expect(meter.report.failure).toEqual({ atMs: VIRTUAL_EPOCH_MS + 1080, code: 'cut' });
  });

  it('measures text to speech from the first sentence to the first audio', async () => {
    const { clock, meter, never } = setUp();
    const tts = meter.textToSpeech(new ScriptedTextToSpeech(clock, 60));
    const sentences = new SentenceSource();
    const speech = collect(tts.synthesize(sentences, VOICE, never));
    await clock.advance(2000);
    sentences.write('Good morning.');
    sentences.write('How are you?');
    sentences.end();
    await clock.advance(200);
    expect((await speech).filter(({ type }) => type === 'sentence')).toHaveLength(2);
    expect(meter.report).toMatchObject({ recentMs: [60], failure: null });
  });

  it('ignores requests that were cancelled', async () => {
    const { clock, meter } = setUp();
    const model = meter.languageModel(new ScriptedLanguageModel(clock, 80, ['never']));
    const abort = new AbortController();
    const cancelled = expect(collect(model.respond(REQUEST, abort.signal))).rejects.toThrow('hang-up');
    await clock.advance(10);
    abort.abort(new Error('hang-up'));
    await cancelled;
    expect(meter.report).toMatchObject({ recentMs: [], failure: null });
  });

  it('retains the latencies of the newest requests', async () => {
    const { clock, meter, never } = setUp();
    const model = meter.languageModel(new ScriptedLanguageModel(clock, 5, []));
    for (let request = 0; request < 30; request += 1) {
      const reply = collect(model.respond(REQUEST, never));
      await clock.advance(5);
      await reply;
    }
    expect(meter.report.recentMs).toEqual(Array(16).fill(5));
  });

  it('limits the size of a report so that the reports of all engines fit into the 4096-byte record of a worker', async () => {
    const clock = new VirtualClock();
    const role = 'speechToText';
    const model = '語'.repeat(200);
    const meter = new EngineMeter(
      { role, name: 'OpenAI-compatible', kind: 'hosted', model, use: 'fallback' },
      clock,
    );
    const replies = [...Array<string>(16).fill('Yes.'), 'fail'];
    const slow = meter.languageModel(new ScriptedLanguageModel(clock, 120_000, replies));
    for (const _ of replies) {
      const reply = collect(slow.respond(REQUEST, new AbortController().signal)).catch(() => []);
      await clock.advance(120_000);
      await reply;
    }
    expect(meter.report.failure).not.toBeNull();
    expect(meter.report.recentMs).toHaveLength(16);
    // The rest of the record has some 500 bytes.
    expect(MAX_REPORTED_ENGINES * Buffer.byteLength(JSON.stringify(meter.report))).toBeLessThan(3500);
  });
});
