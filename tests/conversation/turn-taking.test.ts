import { describe, expect, it } from '@jest/globals';
import { createEndOfTurnDetector } from '@calls/conversation/end-of-turn/detector';
import type { EndOfTurnDetector } from '@calls/conversation/ports/end-of-turn';
import type { ModelMessage } from '@calls/engine-ports/language-model';
import type { TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';
import { agentSpeaksFirst, stageSpec } from '@calls/testkit/call-spec';
import { SPOKEN_MS_PER_CHAR } from '@calls/testkit/scripted/scripted-providers';
import { silentMetrics } from '@calls/testkit/scripted/scripted-services';
import { expectNothingLeft, startCall, startToolCall, type Scripts } from '../support/scripted-call.ts';
import { httpTool } from '../support/scripted-tools.ts';

const HOURS = 'Here are the opening hours of the shop. We open at nine, and close at six.';
const DELAYS_MS = { stt: 120, llm: 250, tts: 120 };
const SUM_MS = DELAYS_MS.stt + DELAYS_MS.llm + DELAYS_MS.tts;
const ENDPOINT_MS = 384;
/** Tolerance: the VAD window in which speech ends, and a frame. */
const GRAIN_MS = 32 + 20;
/** A pause is detected in the window of silence that follows. */
const PAUSE_GRAIN_MS = GRAIN_MS + 32;
/** Speech ends at 1000 ms, its window at 1024 ms, the twelfth window after it at 1408 ms, and that window's frame at 1420 ms. */
const ENDPOINT_REACHED_MS = 420;

/** Starts a call in which the agent has played about a second of the response HOURS. */
async function speaking(stt: string[], scripts: Scripts = {}): Promise<ReturnType<typeof startCall>> {
  const call = startCall({ stt: ['hours', ...stt], llm: [HOURS], ...scripts });
  await call.saySomething(1000);
  expect(call.transport.states.at(-1)).toBe('speaking');
  return call;
}

function extrasOf(call: ReturnType<typeof startCall>, eventType: string): unknown[] {
  return call.noted(eventType).map((event) => (event.type === 'noted' ? event.extras : null));
}

describe('speech over the agent', () => {
  it('does not interrupt when it is a backchannel, which is not added to the history', async () => {
    const call = await speaking(['mm-hm']);
    await call.transport.speak(call.clock, 300);
    await call.transport.silence(call.clock, 6000);
    expect(call.messages).toEqual(['USER: hours', `AGENT: ${HOURS}`]);
    expect(call.transport.playedMs()).toBeGreaterThanOrEqual((HOURS.length - 1) * SPOKEN_MS_PER_CHAR);
    expect(call.llm.requests).toHaveLength(1);
    expect(extrasOf(call, 'speech_dismissed')).toEqual([
      { reason: 'backchannel', text: 'mm-hm', pausedMs: expect.any(Number) },
    ]);
    await call.hangUp();
  });

  it('is dismissed as an echo when it repeats the agent', async () => {
    const call = await speaking(['are the opening']);
    await call.transport.speak(call.clock, 400);
    await call.transport.silence(call.clock, 6000);
    expect(call.messages).toEqual(['USER: hours', `AGENT: ${HOURS}`]);
    expect(extrasOf(call, 'speech_dismissed')).toMatchObject([{ reason: 'echo', text: 'are the opening' }]);
    await call.hangUp();
  });

  it('does not pause the agent in the first moments of a response', async () => {
    const call = startCall({ stt: ['hours', ''], llm: [HOURS] });
    await call.saySomething(60);
    expect(call.transport.states.at(-1)).toBe('speaking');
    await call.transport.speak(call.clock, 300);
    await call.transport.silence(call.clock, 5000);
    expect(call.transport.clears).toEqual([]);
    expect(extrasOf(call, 'speech_dismissed')).toEqual([{ reason: 'nothing', text: '', pausedMs: 0 }]);
    await call.hangUp();
  });

  it('does not silence the agent for long if it has no words and does not end', async () => {
    const call = await speaking(['', 'stop please'], { llm: [HOURS.repeat(4)] });
    await call.transport.silence(call.clock, 700);
    const before = call.transport.states.length;
    await call.transport.speak(call.clock, 8000);
    expect(call.transport.states.slice(before)).toEqual(['listening', 'speaking']);
    await call.transport.silence(call.clock, 500);
    expect(extrasOf(call, 'speech_dismissed')).toEqual([{ reason: 'nothing', text: '', pausedMs: 2120 }]);
    await call.transport.speak(call.clock, 500);
    await call.transport.silence(call.clock, 2000);
    expect(call.messages.slice(2)).toEqual(['USER: stop please', 'AGENT: I see.']);
    await call.hangUp();
  });

  it.each(['voice', 'text'] as const)(
    'is not reported as an interruption of a response that has not begun (%s)',
    async (initialOutputMedium) => {
      const interruptions: string[] = [];
      const call = startCall({
        stt: ['hours', 'and the prices'],
        llm: [HOURS],
        llmDelayMs: 1800,
        spec: { initialOutputMedium },
        metrics: { interruption: (outcome) => interruptions.push(outcome) },
      });
      await call.saySomething(900);
      await call.transport.speak(call.clock, 600);
      await call.transport.silence(call.clock, 12_000);
      expect(call.messages).toEqual(['USER: hours and the prices', 'AGENT: I see.']);
      expect(call.noted('interrupted')).toEqual([]);
      expect(interruptions).toEqual([]);
      await call.hangUp();
    },
  );

  it('interrupts when it is a turn, and reports the pause', async () => {
    const interruptions: string[] = [];
    const call = await speaking(['stop please'], {
      metrics: { interruption: (outcome) => interruptions.push(outcome) },
    });
    await call.transport.silence(call.clock, 700);
    await call.transport.speak(call.clock, 500);
    await call.transport.silence(call.clock, 2000);
    expect(call.messages.slice(2)).toEqual(['USER: stop please', 'AGENT: I see.']);
    expect(interruptions).toEqual(['interrupted']);
    const [extras] = extrasOf(call, 'interrupted');
    expect(extras).toEqual({ pausedMs: expect.any(Number) });
    await call.hangUp();
    expect(interruptions).toEqual(['interrupted']);
  });
});

describe('a late transcript', () => {
  const limits = { transcriptionMs: 10_000, speculation: true };

  it.each([3000, 6000])('interrupts the resumed agent %i ms after the pause', async (sttDelayMs) => {
    const long = HOURS.repeat(4);
    const call = startCall({
      stt: ['stop please'],
      sttDelayMs,
      services: { limits },
      spec: {
        firstSpeaker: agentSpeaksFirst(long),
      },
    });
    await call.transport.silence(call.clock, 1500);
    await call.transport.speak(call.clock, 500);
    await call.transport.silence(call.clock, 2600);
    expect(call.transport.states.at(-1)).toBe('speaking');
    await call.transport.silence(call.clock, sttDelayMs);
    expect(call.messages.slice(1)).toEqual(['USER: stop please', 'AGENT: I see.']);
    expect(extrasOf(call, 'speech_dismissed')).toEqual([]);
    await call.hangUp();
  });

  it('is the next turn when the agent is done', async () => {
    const call = await speaking(['stop please'], { sttDelayMs: 120, services: { limits } });
    await call.transport.silence(call.clock, 700);
    call.stt.delayMs = 6000;
    await call.transport.speak(call.clock, 500);
    await call.transport.silence(call.clock, 8000);
    expect(call.messages).toEqual(['USER: hours', `AGENT: ${HOURS}`, 'USER: stop please', 'AGENT: I see.']);
    await call.hangUp();
  });

  it('is the last message of a call that has ended', async () => {
    const call = startCall({ stt: ['good bye'], sttDelayMs: 1500 });
    await call.transport.speak(call.clock, 800);
    await call.hangUp();
    expect(call.messages).toEqual(['USER: good bye']);
    expect(call.llm.requests).toEqual([]);
    expectNothingLeft(call);
  });

  it('gets a response after a forced message that plays in the meantime', async () => {
    const call = startCall({ stt: ['for two'], sttDelayMs: 1500 });
    await call.transport.speak(call.clock, 800);
    await call.transport.silence(call.clock, 500);
    call.session.receive({
      type: 'forced_agent_message',
      content: 'One moment.',
      toolCalls: [],
      uninterruptible: false,
      urgency: 'immediate',
    });
    await call.transport.silence(call.clock, 4000);
    expect(call.messages).toEqual(['AGENT: One moment.', 'USER: for two', 'AGENT: I see.']);
    await call.hangUp();
  });
});

describe('a turn without a response', () => {
  it('is reported after 5 s and followed by an apology', async () => {
    const missing: string[] = [];
    const call = startCall({
      stt: ['hello'],
      llm: ['never'],
      fallbackVoice: false,
      metrics: { responseMissing: (reason) => missing.push(reason) },
    });
    call.tts.failures.set('main', 'never');
    await call.transport.speak(call.clock, 1000);
    await call.transport.silence(call.clock, 5600);
    expect(extrasOf(call, 'response_missing')).toEqual([{ reason: 'response_late' }]);
    expect(missing).toEqual(['response_late']);
    call.tts.failures.clear();
    await call.transport.silence(call.clock, 6000);
    expect(call.transport.states).toContain('speaking');
    await call.hangUp();
  });

  it('gets one filler at a time when TTS is slow', async () => {
    const call = startCall({ stt: ['hello'], llm: ['never'], ttsDelayMs: 3800, fallbackVoice: false });
    await call.saySomething(12_000);
    expect(call.noted('reply_slow')).toHaveLength(1);
    await call.hangUp();
    expect(call.messages.slice(-1)).toEqual(['AGENT: One moment, please.']);
  });

  it.each([6000, 8000])(
    'gets a whole filler when speech-to-text takes longer than 5 s: %p ms',
    async (sttDelayMs) => {
      const limits = { transcriptionMs: 20_000, speculation: true };
      const call = startCall({ stt: ['hello'], sttDelayMs, services: { limits } });
      await call.transport.speak(call.clock, 1000);
      await call.transport.silence(call.clock, 5800);
      expect(call.transport.states.at(-1)).toBe('speaking');
      expect(extrasOf(call, 'response_missing')).toEqual([{ reason: 'recognition_late' }]);
      await call.transport.silence(call.clock, 4000);
      expect(call.messages).toEqual(['AGENT: One moment, please.', 'USER: hello', 'AGENT: I see.']);
      expect(call.noted('interrupted')).toEqual([]);
      await call.hangUp();
    },
  );

  it.each(['text', 'voice'] as const)(
    'is reported when the result of a tool asks for none: %s',
    async (medium) => {
      const call = startToolCall(
        {
          stt: ['note that'],
          llm: [{ call: [{ name: 'note', arguments: {} }] }],
          stage: { tools: [httpTool('note')] },
          spec: { initialOutputMedium: medium },
        },
        { answers: { '/note': { headers: { 'x-svc-agent-reaction': 'listens' } } } },
      );
      await call.saySomething(2000);
      expect(extrasOf(call, 'response_missing')).toEqual([{ reason: 'tools_only' }]);
      await call.hangUp();
    },
  );
});

describe('the end of a turn', () => {
  async function latencyOf(stt: string, scripts: Scripts = {}): Promise<number> {
    const call = startCall({ stt: [stt], ...scripts });
    await call.transport.speak(call.clock, 1000);
    await call.transport.silence(call.clock, 3000);
    await call.hangUp();
    return call.latencies[0] ?? Number.NaN;
  }
  const detector = (extraWaitMs: EndOfTurnDetector['extraWaitMs']): Scripts => ({
    services: { endOfTurn: { model: null, extraWaitMs } },
  });

  it('is delayed only for an unfinished sentence', async () => {
    expect(await latencyOf('I would like tea')).toBeLessThanOrEqual(SUM_MS + PAUSE_GRAIN_MS);
    const held = await latencyOf('I would like tea and');
    expect(held).toBeGreaterThanOrEqual(ENDPOINT_REACHED_MS + 1200);
    expect(held).toBeLessThanOrEqual(ENDPOINT_MS + 1200 + GRAIN_MS);
  });

  it('is answered with an interim transcript of all speech, while the final one is pending', async () => {
    const sttDelayMs = 600;
    const { llm, tts } = DELAYS_MS;
    expect(await latencyOf('I would like tea', { sttDelayMs })).toBeGreaterThan(sttDelayMs + llm + tts);
    expect(await latencyOf('I would like tea', { sttDelayMs, sttStreams: true })).toBeLessThanOrEqual(
      sttDelayMs + PAUSE_GRAIN_MS,
    );
  });

  it('is delayed while speech-to-text expects more words, and ends when it no longer does', async () => {
    const judged = (sttCompletionAfter: (audioMs: number) => number): Promise<number> =>
      latencyOf('I would like tea', { sttStreams: true, sttCompletionAfter });
    // The user speaks for 1 s.
    expect(await judged(() => 1)).toBeLessThanOrEqual(SUM_MS + PAUSE_GRAIN_MS);
    const held = await judged(() => 0);
    expect(held).toBeGreaterThanOrEqual(ENDPOINT_REACHED_MS + 1200);
    expect(held).toBeLessThanOrEqual(ENDPOINT_MS + 1200 + GRAIN_MS);
    const released = await judged((audioMs) => (audioMs < 1900 ? 0 : 1));
    expect(released).toBeGreaterThanOrEqual(900);
    expect(released).toBeLessThanOrEqual(900 + GRAIN_MS);
  });

  it('follows speech-to-text rather than the last word', async () => {
    const latencyMs = await latencyOf('I would like tea and', { sttCompletionAfter: () => 1 });
    expect(latencyMs).toBeLessThanOrEqual(SUM_MS + PAUSE_GRAIN_MS);
  });

  it('is not delayed by the detector beyond its limit', async () => {
    const forever = await latencyOf(
      'tea',
      detector(() => Promise.resolve(60_000)),
    );
    expect(forever).toBeLessThanOrEqual(ENDPOINT_MS + 1200 + GRAIN_MS);
    const never = await latencyOf(
      'tea',
      detector(() => new Promise(() => undefined)),
    );
    expect(never).toBeLessThanOrEqual(SUM_MS + PAUSE_GRAIN_MS);
    const broken = await latencyOf(
      'tea',
      detector(() => Promise.reject(new Error('no'))),
    );
    expect(broken).toBeLessThanOrEqual(SUM_MS + PAUSE_GRAIN_MS);
  });

  describe('with an audio model', () => {
    /** Plays a turn with a model that returns `result`, and reports the audio that the model received. */
    const ended = async (
      result: () => Promise<number>,
      stt = 'tea',
    ): Promise<{ endpointMs: unknown; decidedMs: unknown; soundsMs: number[]; outcomes: string[] }> => {
      const soundsMs: number[] = [];
      const outcomes: string[] = [];
      const model: TurnCompletionModel = {
        completion: (samples) => {
          soundsMs.push(samples.length / 16);
          return result();
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
      const metrics = { ...silentMetrics, turnModel: (outcome: string) => void outcomes.push(outcome) };
      const call = startCall({
        stt: [stt],
        services: { endOfTurn: createEndOfTurnDetector(model), metrics },
      });
      await call.transport.speak(call.clock, 1000);
      await call.transport.silence(call.clock, 3000);
      const [extras] = extrasOf(call, 'turn_latency') as { endpointMs: number; decidedMs: number }[];
      await call.hangUp();
      return { endpointMs: extras?.endpointMs, decidedMs: extras?.decidedMs, soundsMs, outcomes };
    };

    it('is decided before or after the endpoint delay, depending on the model', async () => {
      const early = await ended(() => Promise.resolve(1));
      expect(early.endpointMs).toBeLessThanOrEqual(ENDPOINT_MS / 2 + GRAIN_MS);
      expect(early.decidedMs).toEqual(early.endpointMs);
      expect(early.outcomes).toEqual(['used']);
      // There is no pre-roll at the start of a call. The model is called once, about 130 ms into the pause.
      expect(early.soundsMs).toEqual([expect.closeTo(1130, -2)]);
      const late = await ended(() => Promise.resolve(0.25));
      expect(late.endpointMs).toBe(ENDPOINT_REACHED_MS);
      expect(late.decidedMs).toBeGreaterThanOrEqual(ENDPOINT_REACHED_MS + 600 - GRAIN_MS);
    });

    it.each<[string, () => Promise<number>]>([
      ['late', () => new Promise(() => undefined)],
      ['failed', () => Promise.reject(new Error('no'))],
    ])('is decided by the words if the model result is %s', async (outcome, result) => {
      expect(await ended(result)).toMatchObject({ decidedMs: ENDPOINT_REACHED_MS, outcomes: [outcome] });
      const unfinished = await ended(result, 'I would like tea and');
      expect(unfinished.decidedMs).toBeGreaterThanOrEqual(ENDPOINT_REACHED_MS + 1200 - GRAIN_MS);
    });
  });

  it('includes speech after a pause in the same turn', async () => {
    const call = startCall({ stt: ['I would like tea and'], llm: ['Too soon.', 'Sure.'] });
    await call.transport.speak(call.clock, 600);
    await call.transport.silence(call.clock, 900);
    await call.transport.speak(call.clock, 600);
    await call.transport.silence(call.clock, 3000);
    expect(call.messages).toEqual(['USER: I would like tea and', 'AGENT: Sure.']);
    expect(extrasOf(call, 'speculation_discarded')).toEqual([{ wastedMs: expect.any(Number) }]);
    await call.hangUp();
  });

  it('is reported with all its latencies', async () => {
    const call = startCall({ stt: ['tea'] });
    await call.saySomething(1000);
    const [extras] = extrasOf(call, 'turn_latency');
    // Clients assign it to the response with the transcript that follows.
    const sent = call.transport.messages.map(({ what }) => what);
    const reported = sent.findIndex(
      (what) => what.type === 'call_event' && what.eventType === 'turn_latency',
    );
    const words = sent.findIndex((what) => what.type === 'transcript' && what.role === 'agent');
    expect(reported).toBeLessThan(words);
    expect(extras).toEqual({
      speechEndMs: expect.any(Number),
      endpointMs: ENDPOINT_REACHED_MS,
      decidedMs: ENDPOINT_REACHED_MS,
      transcriptMs: expect.any(Number),
      firstTokenMs: expect.any(Number),
      firstAudioMs: expect.any(Number),
      firstAudioSentMs: call.latencies[0],
      firstSoundMs: call.latencies[0],
    });
    await call.hangUp();
  });

  it('is followed by the full latencies of model and TTS without speculation', async () => {
    const limits = { transcriptionMs: 2000, speculation: false };
    const plain = await latencyOf('tea', { services: { limits } });
    expect(plain).toBeGreaterThanOrEqual(ENDPOINT_REACHED_MS + DELAYS_MS.llm + DELAYS_MS.tts);
    expect(plain).toBeLessThanOrEqual(ENDPOINT_MS + DELAYS_MS.llm + DELAYS_MS.tts + GRAIN_MS);
  });
});

describe('speculation during a call', () => {
  it('sends the model neither NUL characters nor lone surrogates, which servers reject', async () => {
    const call = startCall({ stt: ['a\0b \ud83d'], llm: ['Hello.'] });
    await call.saySomething(2000);
    expect(call.llm.requests).toHaveLength(1);
    expect(call.llm.requests[0]?.messages.at(-1)?.content).toBe('a\ufffdb \ufffd');
    expect(call.messages[0]).toBe('USER: a\ufffdb \ufffd');
    await call.hangUp();
  });

  it('stops and starts with the load of the worker', async () => {
    let speculation = true;
    const limits = {
      transcriptionMs: 2000,
      get speculation() {
        return speculation;
      },
    };
    const call = startCall({
      stt: ['one', 'two', 'three'],
      llm: ['First.', 'Second.', 'Third.'],
      services: { limits },
    });
    for (const allowed of [true, false, true]) {
      speculation = allowed;
      await call.saySomething(3000);
    }
    const [early = NaN, late = NaN, earlyAgain = NaN] = call.latencies;
    expect(late - early).toBeGreaterThan(DELAYS_MS.llm / 2);
    expect(earlyAgain).toBeLessThan(late - DELAYS_MS.llm / 2);
    await call.hangUp();
  });
});

describe('a model that accepts audio', () => {
  const soundOf = (message: ModelMessage | undefined): number => {
    const content = message?.role === 'user' ? message.content : '';
    const part = typeof content === 'string' ? undefined : content[0];
    return part?.type === 'audio' ? part.samples.length / 16 : 0;
  };

  it('receives the audio before the transcript, which is added to the history', async () => {
    const call = startCall({ stt: ['one', 'two'], llm: ['First.', 'Second.'], llmHears: true });
    await call.saySomething(1500);
    expect(call.latencies[0]).toBeLessThanOrEqual(
      Math.max(ENDPOINT_MS, DELAYS_MS.llm + DELAYS_MS.tts) + GRAIN_MS,
    );
    const sentMs = soundOf(call.llm.requests[0]?.messages.at(-1));
    expect(sentMs).toBeGreaterThanOrEqual(1000);
    expect(sentMs).toBeLessThanOrEqual(1400);
    await call.saySomething(1500);
    expect(call.llm.requests[1]?.messages.slice(1, 3)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'First.' },
    ]);
    expect(soundOf(call.llm.requests[1]?.messages.at(-1))).toBeGreaterThanOrEqual(1000);
    expect(call.messages).toEqual(['USER: one', 'AGENT: First.', 'USER: two', 'AGENT: Second.']);
    await call.hangUp();
  });

  it('produces no response to audio without words', async () => {
    const call = startCall({ stt: [''], llmHears: true });
    await call.saySomething(1500);
    expect(call.llm.requests).toHaveLength(1);
    expect(call.messages).toEqual([]);
    expect(call.transport.playedMs()).toBe(0);
    await call.hangUp();
  });
});

describe('voice activity settings', () => {
  it('determine the minimum turn duration and the endpoint delay', async () => {
    const vad = { ...stageSpec().vad, turnEndpointDelayMs: 800, minimumTurnDurationMs: 300 };
    const call = startCall({ stt: ['too short', 'one'], stage: { vad } });
    await call.transport.speak(call.clock, 200);
    await call.transport.silence(call.clock, 1500);
    expect(call.stt.asked).toEqual([]);
    expect(call.messages).toEqual([]);
    await call.transport.speak(call.clock, 400);
    await call.transport.silence(call.clock, 1500);
    expect(call.messages[0]).toBe('USER: one');
    expect(call.latencies[0]).toBeGreaterThanOrEqual(800);
    await call.hangUp();
  });
});
