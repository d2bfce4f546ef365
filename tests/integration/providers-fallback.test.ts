import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LanguageModel, ModelChunk } from '@calls/engine-ports/language-model';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import type { EngineFailure } from '@calls/providers/fallback/engine-order';
import { languageModelWithFallback } from '@calls/providers/fallback/language-model';
import { speechToTextWithFallback } from '@calls/providers/fallback/speech-to-text';
import { createConnectionPool } from '@calls/providers/http/connection-pool';
import { createOpenAiCompatibleLanguageModel } from '@calls/providers/llm/openai-compatible/adapter';
import { DEFAULT_LANGUAGE_MODEL_LIMITS } from '@calls/providers/llm/openai-compatible/limits';
import { DEFAULT_SPEECH_TO_TEXT_LIMITS } from '@calls/providers/stt/limits';
import { createOpenAiCompatibleSpeechToText } from '@calls/providers/stt/openai-compatible/adapter';
import type { StandInControl } from '@calls/testkit/ai-stand-in/behaviour';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { collect } from '@calls/testkit/collect';
import { describeLanguageModel } from '@calls/testkit/conformance/language-model';
import { describeSpeechToText } from '@calls/testkit/conformance/speech-to-text';
import { eventually } from '../support/eventually.ts';

/** Time limit for servers that never send anything. Others may be slow on a busy machine. */
const SHORT_MS = 500;
const AMPLE_MS = 60_000;
const HEALTHY: StandInControl = {
  forgetRequests: true,
  llm: { behaviour: 'ok', replies: [], rules: [], errorStatus: 503 },
  stt: { behaviour: 'ok', errorStatus: 503 },
};
const CALL = { toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] };
const WEATHER = { name: 'get_weather', description: 'The weather.', parameters: { type: 'object' } };
const SIGNAL = new AbortController().signal;
/** A tone; the stand-in transcribes anything that is not silent. */
const SPEECH = new Int16Array(16_000).map((_, i) => (i % 40) * 500);

const pool = createConnectionPool();
const [first, second] = await Promise.all([startAiStandIn(), startAiStandIn()]);

beforeEach(async () => {
  await Promise.all([first, second].map((standIn) => standIn.control(HEALTHY)));
});

afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await Promise.all([first, second].map((standIn) => standIn[Symbol.asyncDispose]()));
});

/** New endpoints, unaffected by earlier tests; reported failures are in `failures`. */
function withFallback(firstLimitMs = AMPLE_MS): {
  languageModel: LanguageModel;
  speechToText: SpeechToText;
  failures: EngineFailure[];
} {
  const failures: EngineFailure[] = [];
  const common = { clock: systemClock, onFailure: (failure: EngineFailure) => void failures.push(failure) };
  const servers = [
    { name: 'first', standIn: first, limitMs: firstLimitMs },
    { name: 'second', standIn: second, limitMs: AMPLE_MS },
  ];
  const parts = { pool, clock: systemClock, log: silentLogger };
  return {
    failures,
    languageModel: languageModelWithFallback({
      ...common,
      engines: servers.map(({ name, standIn, limitMs }) => ({
        name,
        engine: createOpenAiCompatibleLanguageModel({
          ...parts,
          endpoint: { baseUrl: standIn.baseUrl, apiKey: null },
          model: name,
          acceptsAudio: false,
          extraBody: {},
          limits: { ...DEFAULT_LANGUAGE_MODEL_LIMITS, firstTokenTimeoutMs: limitMs, gapTimeoutMs: limitMs },
        }),
      })),
    }),
    speechToText: speechToTextWithFallback({
      ...common,
      engines: servers.map(({ name, standIn, limitMs }) => ({
        name,
        engine: createOpenAiCompatibleSpeechToText({
          ...parts,
          endpoint: { baseUrl: standIn.baseUrl, apiKey: null },
          model: name,
          limits: { ...DEFAULT_SPEECH_TO_TEXT_LIMITS, timeoutMs: limitMs },
        }),
      })),
    }),
  };
}

async function allFreed(): Promise<void> {
  await eventually(async () => {
    const reports = await Promise.all([first.requests(), second.requests()]);
    expect(reports.map(({ openRequests }) => openRequests)).toEqual([0, 0]);
  });
}

async function firstFails(): Promise<ReturnType<typeof withFallback>> {
  await first.control({ llm: { behaviour: 'error' }, stt: { behaviour: 'error' } });
  return withFallback();
}

describeLanguageModel('a fallback', {
  create: async () => (await firstFails()).languageModel,
  createCalling: async () => {
    const reply = { ...CALL, text: 'Well.' };
    await second.control({ llm: { rules: [{ last: 'user', contains: 'weather', reply }] } });
    return (await firstFails()).languageModel;
  },
  model: 'svc-v0.7',
  allFreed,
});

describeSpeechToText('a fallback', {
  create: async () => (await firstFails()).speechToText,
  speech: () => Promise.resolve(SPEECH),
  words: /hello/,
  allFreed,
});

function answer(model: LanguageModel): Promise<ModelChunk[]> {
  const messages = [{ role: 'user', content: 'Are you there?' }] as const;
  return collect(model.respond({ model: 'svc-v0.7', messages, temperature: 0, tools: [WEATHER] }, SIGNAL));
}

async function transcribe(engine: SpeechToText): Promise<string> {
  const stream = engine.open({ languageHint: 'en' }, SIGNAL);
  try {
    stream.push(SPEECH);
    return (await stream.finalize()).text;
  } finally {
    stream.close();
  }
}

const counts = async () => {
  const [one, other] = await Promise.all([first.requests(), second.requests()]);
  return { first: one.counts, second: other.counts };
};

const limitMsFor = (behaviour: string): number =>
  ['never', 'stall'].includes(behaviour) ? SHORT_MS : AMPLE_MS;

describe('language model fallback', () => {
  it.each(['error', 'refuse', 'never', 'stall', 'garbage', 'empty', 'cut'] as const)(
    'uses the second model when the first fails with %s, and skips the failed one next time',
    async (behaviour) => {
      // The stalled or interrupted tool call was not yielded yet.
      await first.control({ llm: { behaviour, replies: [CALL] } });
      const { languageModel, failures } = withFallback(limitMsFor(behaviour));
      expect((await answer(languageModel)).length).toBeGreaterThan(1);
      const before = await counts();
      await answer(languageModel);
      const after = await counts();
      expect([after.first.llm - before.first.llm, after.second.llm]).toEqual([0, 2]);
      expect(failures).toMatchObject([{ engine: 'first', next: 'second' }]);
    },
  );

  it('does not use the second model after output of the first', async () => {
    await first.control({ llm: { behaviour: 'cut' } });
    const { languageModel, failures } = withFallback();
    await expect(answer(languageModel)).rejects.toMatchObject({ kind: 'cut' });
    expect(failures).toMatchObject([{ next: null }]);
    expect((await counts()).second.llm).toBe(0);
  });

  it('reports the error of the last model when all fail', async () => {
    await first.control({ llm: { behaviour: 'error' } });
    await second.control({ llm: { behaviour: 'error', errorStatus: 418 } });
    const { languageModel } = withFallback();
    await expect(answer(languageModel)).rejects.toThrow('status 418');
  });
});

describe('STT fallback', () => {
  it.each(['error', 'refuse', 'never', 'cut'] as const)(
    'uses the second engine when the first fails with %s',
    async (behaviour) => {
      await first.control({ stt: { behaviour } });
      const { speechToText, failures } = withFallback(limitMsFor(behaviour));
      expect(await transcribe(speechToText)).toBe('hello there');
      const before = await counts();
      expect(await transcribe(speechToText)).toBe('hello there');
      const after = await counts();
      expect([after.first.stt - before.first.stt, after.second.stt]).toEqual([0, 2]);
      expect(failures).toHaveLength(1);
      const [report] = (await second.requests()).recent;
      expect(report?.asked).toMatchObject({ model: 'second', language: 'en', audioMs: 1000 });
    },
  );
});
