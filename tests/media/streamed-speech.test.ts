import { afterAll, expect, it } from '@jest/globals';
import { CallSession } from '@calls/conversation/session/call-session';
import type { SpeechToText, TranscriptionStream } from '@calls/engine-ports/speech-to-text';
import { delay, systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createDeepgramSpeechToText } from '@calls/providers/stt/deepgram/adapter';
import { DEFAULT_SPEECH_TO_TEXT_LIMITS } from '@calls/providers/stt/limits';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import { ScriptedLanguageModel, ScriptedTextToSpeech } from '@calls/testkit/scripted/scripted-providers';
import { scriptedServices } from '@calls/testkit/scripted/scripted-services';
import { speak } from '@calls/testkit/speech/speak';
import { eventually } from '../support/eventually.ts';
import { startSttStandIn } from '../support/stt-stand-in/start-stt-stand-in.ts';

/** The local STT engine behind the stand-in is slow on a busy machine. */
const LIMIT_MS = 60_000;
const FRAME_MS = 20;
const SAMPLES_PER_MS = 16;
const SENTENCE = 'i would like to book a table for two';

const standIn = await startSttStandIn({ apiKey: 'key', engine: 'moonshine' });
const voiceActivity = await createSileroEngine({ log: silentLogger });

afterAll(async () => {
  await voiceActivity[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
});

/** Records interim transcripts. */
class ObservedSpeechToText implements SpeechToText {
  readonly interims: string[] = [];
  readonly #engine: SpeechToText;

  constructor(inner: SpeechToText) {
    this.#engine = inner;
  }

  open(...options: Parameters<SpeechToText['open']>): TranscriptionStream {
    const stream = this.#engine.open(...options);
    return {
      push: (samples) => stream.push(samples),
      finalize: () => stream.finalize(),
      close: () => stream.close(),
      interims: this.#observed(stream),
    };
  }

  async *#observed(stream: TranscriptionStream): AsyncGenerator<{ text: string }> {
    for await (const interim of stream.interims) {
      this.interims.push(interim.text);
      yield interim;
    }
  }
}

/** Sends in real time. */
async function talk(transport: LoopbackTransport, samples: Int16Array): Promise<void> {
  const startMs = systemClock.nowMs();
  for (let at = 0, frame = 1; at < samples.length; at += FRAME_MS * SAMPLES_PER_MS, frame += 1) {
    transport.hear(samples.slice(at, at + FRAME_MS * SAMPLES_PER_MS));
    await delay(systemClock, startMs + frame * FRAME_MS - systemClock.nowMs());
  }
}

it.each([
  ['nova-3', { language: 'en-US', model: 'nova-3' }],
  ['flux-general-en', { model: 'flux-general-en' }],
])(
  'streaming STT with %s returns interim transcripts during speech and the full one at its end',
  async (model, query) => {
    await standIn.control({ interimMs: 400, segmentMs: 20_000 });
    await using engine = createDeepgramSpeechToText({
      endpoint: { baseUrl: standIn.baseUrl, apiKey: 'key' },
      model,
      limits: { ...DEFAULT_SPEECH_TO_TEXT_LIMITS, timeoutMs: LIMIT_MS },
      clock: systemClock,
      log: silentLogger,
    });
    const transport = new LoopbackTransport(systemClock);
    const speechToText = new ObservedSpeechToText(engine);
    const services = scriptedServices(systemClock);
    const session = new CallSession({
      resume: null,
      spec: callSpec({ firstStage: stageSpec({ languageHint: 'en-US' }) }),
      transport,
      services: {
        ...services,
        voiceActivity,
        speechToText,
        languageModel: new ScriptedLanguageModel(systemClock, 50, ['Of course.', 'Certainly.']),
        textToSpeech: new ScriptedTextToSpeech(systemClock, 50),
        limits: { ...services.limits, transcriptionMs: LIMIT_MS },
      },
      log: silentLogger,
      emit: () => undefined,
    });
    const ended = session.run();
    const speech = await speak({ engine: 'flite', voice: 'slt', text: SENTENCE, sampleRateHz: 16_000 });
    await talk(transport, new Int16Array(SAMPLES_PER_MS * 300));
    // The user continues when the first words were recognized: audio is only late then, not missing.
    const [firstWords, otherWords] = [
      speech.subarray(0, speech.length / 2),
      speech.subarray(speech.length / 2),
    ];
    await talk(transport, firstWords);
    const early = await eventually(() => {
      const [first] = speechToText.interims;
      if (first === undefined) throw new Error('no interim transcript during speech');
      return first;
    });
    expect(transport.transcript.filter((line) => line.startsWith('user: '))).toEqual([]);
    await talk(transport, otherWords);
    await talk(transport, new Int16Array(SAMPLES_PER_MS * 1000));
    const transcript = await eventually(() => {
      const user = transport.transcript.find((line) => line.startsWith('user: '));
      if (user === undefined) throw new Error('nothing of the user yet');
      return user;
    }).finally(() => transport.hangUp());
    await ended;

    expect(early.split(' ').length).toBeLessThan(transcript.split(' ').length);
    expect(transcript).toMatch(/table for two/);
    const { streams } = await standIn.report();
    expect(streams).toHaveLength(1);
    expect(streams[0]?.query).toMatchObject(query);
  },
);
