import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ENGINE_ROLES, type Engine, type Engines } from '@calls/api-contract/rest/engine';
import type { Behaviour } from '@calls/testkit/ai-stand-in/behaviour';
import { requireQuick } from '@calls/testkit/long-form';
import { eventually } from '../support/eventually.ts';
import { FailingEngines, quiet } from '../support/failing-engines.ts';

const SURVIVES = '%s: the caller hears speech within 3 s, an event is recorded and the call continues';

/** One stack for all three engines; tests change only the behaviour of the stand-in. */
const engines = await FailingEngines.start();
afterAll(() => engines.stop());
beforeEach(() => engines.allWell());

describe('a language model that fails', () => {
  it.each<[Behaviour, string]>([
    ['error', 'response_error'],
    ['never', 'reply_slow'],
    ['cut', 'response_error'],
    ['stall', 'response_error'],
    ['garbage', 'response_error'],
  ])(SURVIVES, (behaviour, eventType) => engines.survives('llm', behaviour, eventType));

  it('causes a filler before the response when it is slow', async () => {
    const { client } = await engines.api.startCall({ firstSpeakerSettings: { user: {} } });
    await engines.standIn.control({ llm: { behaviour: 'slow', slowMs: 3500, replies: ['Here it is.'] } });
    requireQuick(await engines.turn(client), 3000);
    await client.until('the response', () => client.transcript.at(-1)?.text.endsWith('Here it is.') === true);
    expect(client.transcript.at(-1)).toEqual({
      role: 'agent',
      // On a busy machine, another filler may follow.
      text: expect.stringMatching(/^One moment, please\. (?:.*\. )?Here it is\.$/u),
    });
    await client.hangUp();
  });

  it('ends the call with system_error and no charge after three failed turns', async () => {
    const { call, client } = await engines.api.startCall({ firstSpeakerSettings: { user: {} } });
    await engines.standIn.control({ llm: { behaviour: 'error' } });
    let isOver = false;
    void client.closed.then(() => (isOver = true));
    // Speech that arrives in two parts is two turns, or the second part cancels a response before it fails.
    while (!isOver) {
      await Promise.race([engines.speak(client), client.closed]);
      const saidMs = client.nowMs;
      await client.until('an apology', () => isOver || client.lastAudioMs > saidMs);
      requireQuick(client.nowMs - saidMs, 3000);
      await client.until('its end', () => isOver || (client.state === 'listening' && !client.isPlaying));
    }
    expect(await client.closed).toEqual({ code: 1000, reason: 'system_error' });
    const errors = (await engines.api.events(call.callId)).filter(({ type }) => type === 'response_error');
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(await engines.api.endedCall(call.callId)).toMatchObject({
      endReason: 'system_error',
      billingStatus: 'BILLING_STATUS_FREE_SYSTEM_ERROR',
    });
  });

  it('has its requests cancelled when the caller hangs up', async () => {
    const { client } = await engines.api.startCall({ firstSpeakerSettings: { user: {} } });
    await engines.standIn.control({ llm: { behaviour: 'stall' } });
    await engines.speak(client);
    const outcomesOfThisCall = async (): Promise<string[]> => {
      // The dispatcher summarizes earlier calls with the same model.
      const { recent } = await engines.standIn.requests();
      return recent
        .filter(({ role, asked }) => role !== 'llm' || !/summar/iu.test(String(asked['lastUser'])))
        .map(({ role, outcome }) => `${role} ${outcome}`);
    };
    await eventually(async () => expect(await outcomesOfThisCall()).toContain('llm open'));
    await client.hangUp();
    await eventually(async () => {
      const outcomes = await outcomesOfThisCall();
      expect(outcomes).toContain('llm aborted');
      expect(outcomes.filter((outcome) => outcome.endsWith('open'))).toEqual([]);
    });
  });
});

describe('failing STT', () => {
  it.each<[Behaviour, string]>([
    ['error', 'speech_input_error'],
    ['never', 'speech_input_error'],
    ['garbage', 'speech_input_error'],
    ['refuse', 'speech_input_error'],
  ])(SURVIVES, (behaviour, eventType) => engines.survives('stt', behaviour, eventType));
});

describe('failing TTS', () => {
  it.each<[Behaviour, string]>([
    ['error', 'voice_error'],
    ['never', 'reply_slow'],
    ['cut', 'voice_error'],
    ['stall', 'voice_error'],
    ['garbage', 'voice_error'],
    ['empty', 'voice_error'],
  ])(SURVIVES, (behaviour, eventType) => engines.survives('tts', behaviour, eventType));
});

describe('GET /api/engines', () => {
  const report = async (): Promise<Engines> =>
    (await engines.api.request<Engines>('GET', '/api/engines')).body;
  const engineOf = async (role: Engine['role']): Promise<Engine | undefined> =>
    (await report()).engines.find((engine) => engine.role === role && engine.use === 'default');

  it('lists default, selectable and fallback engines', async () => {
    const { mediaWorkers, engines: listed } = await report();
    expect(mediaWorkers).toBe(1);
    expect(listed.map(({ role, name, kind, model, use }) => [role, name, kind, model, use])).toEqual([
      ['speechToText', 'OpenAI-compatible', 'hosted', 'whisper-1', 'default'],
      ['languageModel', 'OpenAI-compatible', 'hosted', 'stand-in', 'default'],
      ['languageModel', 'svc-local', 'embedded', null, 'choice'],
      ['textToSpeech', 'openai-compatible', 'hosted', 'tts-1', 'default'],
      ['textToSpeech', 'flite', 'embedded', null, 'choice'],
      ['textToSpeech', 'espeak-ng', 'embedded', null, 'fallback'],
    ]);
    expect(listed[2]).toMatchObject({ health: 'unknown', lastSuccess: null });
    expect(listed[2]).not.toHaveProperty('latencyMs');
  });

  it('returns the latency of requests, and reports an engine as failing until it responds again', async () => {
    const { client } = await engines.api.startCall({ firstSpeakerSettings: { user: {} } });
    await engines.turn(client);
    await quiet(client);
    await eventually(async () => {
      for (const role of ENGINE_ROLES) {
        // The stand-in responds after 50 ms.
        const latencyMs = { p50: expect.any(Number), p95: expect.any(Number), count: expect.any(Number) };
        const engine = await engineOf(role);
        expect(engine).toMatchObject({ health: 'ok', latencyMs });
        expect(engine?.latencyMs?.p95).toBeGreaterThanOrEqual(45);
      }
    });
    await engines.standIn.control({ llm: { behaviour: 'error' } });
    await engines.turn(client);
    await eventually(async () =>
      expect(await engineOf('languageModel')).toMatchObject({
        health: 'failing',
        lastFailure: expect.any(String),
        lastFailureCode: 'refused',
      }),
    );
    await quiet(client);
    await engines.allWell();
    await engines.turn(client);
    await eventually(async () => expect(await engineOf('languageModel')).toMatchObject({ health: 'ok' }));
    await client.hangUp();
  });
});
