import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallClient } from '@calls/examples/call-client';
import type { Stack } from '@calls/local-stack';
import { speak, startAiStandIn, type AiStandIn, type Behaviour, type Role } from '@calls/testkit';
import { Api } from '../support/api.ts';
import { startTestStack } from '../support/start-stack.ts';

const STT_TIMEOUT_MS = 2000;

let standIn: AiStandIn;
let stack: Stack;
let api: Api;
let speech: Int16Array;

beforeAll(async () => {
  standIn = await startAiStandIn({ sttDelayMs: 50, llmFirstTokenMs: 50, ttsFirstAudioMs: 50 });
  const { baseUrl } = standIn;
  stack = await startTestStack({
    env: {
      STT_BASE_URL: baseUrl,
      LLM_BASE_URL: baseUrl,
      LLM_MODEL: 'stand-in',
      TTS_BASE_URL: baseUrl,
      STT_TIMEOUT_MS: String(STT_TIMEOUT_MS),
      LLM_FIRST_TOKEN_TIMEOUT_MS: '4000',
      LLM_GAP_TIMEOUT_MS: '2000',
    },
  });
  api = new Api(stack);
  speech = await speak({
    engine: 'flite',
    voice: 'slt',
    text: 'tell me about the weather',
    sampleRateHz: 16_000,
  });
}, 120_000);

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
}, 60_000);

const WELL = { behaviour: 'ok' } as const;

beforeEach(async () => {
  const llm = { ...WELL, replies: ['All right. Is there more?'] };
  await standIn.control({ stt: WELL, llm, tts: WELL, forgetRequests: true });
});

/** Says something; resolves with the milliseconds from the end of speech to the first sound of an answer. */
async function turn(client: CallClient): Promise<number> {
  await client.speak(speech);
  const saidMs = client.nowMs;
  const before = client.audio.length;
  await client.until('something to hear', () => client.audio.length > before, 8000);
  return (client.audio[before]?.atMs ?? Number.POSITIVE_INFINITY) - saidMs;
}

function quiet(client: CallClient): Promise<void> {
  const done = (): boolean => client.state === 'listening' && !client.isHearing;
  return client.until('the agent to finish', done, 30_000);
}

describe('engines that fail', () => {
  it.each<[Role, Behaviour, string]>([
    ['stt', 'error', 'speech_input_fault'],
    ['stt', 'never', 'speech_input_fault'],
    ['stt', 'garbage', 'speech_input_fault'],
    ['stt', 'refuse', 'speech_input_fault'],
    ['llm', 'error', 'answer_fault'],
    ['llm', 'never', 'reply_slow'],
    ['llm', 'cut', 'answer_fault'],
    ['llm', 'stall', 'answer_fault'],
    ['llm', 'garbage', 'answer_fault'],
    ['tts', 'error', 'voice_fault'],
    ['tts', 'never', 'reply_slow'],
    ['tts', 'cut', 'voice_fault'],
    ['tts', 'stall', 'voice_fault'],
    ['tts', 'garbage', 'voice_fault'],
    ['tts', 'empty', 'voice_fault'],
  ])(
    '%s %s: the caller hears something within 3 s, it is recorded, and the call goes on',
    async (role, behaviour, eventType) => {
      const { call, client } = await api.startCall({ firstSpeakerSettings: { user: {} } });
      await standIn.control({ [role]: { behaviour } });
      expect(await turn(client)).toBeLessThan(3000);
      await quiet(client);
      await standIn.control({ [role]: WELL });
      expect(await turn(client)).toBeLessThan(3000);
      await quiet(client);
      await client.hangUp();
      const ended = await api.endedCall(call.callId);
      expect(ended.endReason).toBe('hangup');
      expect((await api.events(call.callId, 'info')).map(({ type }) => type)).toContain(eventType);
      const messages = await api.messages(call.callId);
      expect(messages.at(-1)?.role).toBe('MESSAGE_ROLE_AGENT');
    },
    60_000,
  );

  it('is slow: a filler first, then the answer', async () => {
    const { client } = await api.startCall({ firstSpeakerSettings: { user: {} } });
    await standIn.control({ llm: { behaviour: 'slow', slowMs: 3500, replies: ['Here it is.'] } });
    expect(await turn(client)).toBeLessThan(3000);
    await quiet(client);
    await client.hangUp();
    expect(client.transcript.at(-1)).toEqual({ role: 'agent', text: 'One moment, please. Here it is.' });
  }, 30_000);

  it('gives up after three turns of faults, with system_error and free of charge', async () => {
    const { call, client } = await api.startCall({ firstSpeakerSettings: { user: {} } });
    await standIn.control({ llm: { behaviour: 'error' } });
    for (let i = 0; i < 3; i += 1) {
      expect(await turn(client)).toBeLessThan(3000);
      if (i < 2) await quiet(client);
    }
    expect(await client.closed).toEqual({ code: 1000, reason: 'system_error' });
    expect(await api.endedCall(call.callId)).toMatchObject({
      endReason: 'system_error',
      billingStatus: 'BILLING_STATUS_FREE_SYSTEM_ERROR',
    });
  }, 60_000);

  it('drops its requests when the caller hangs up', async () => {
    const { client } = await api.startCall({ firstSpeakerSettings: { user: {} } });
    await standIn.control({ llm: { behaviour: 'stall' } });
    await client.speak(speech);
    await client.until('an answer to be under way', () => client.state !== 'listening', 5000);
    await client.hangUp();
    await new Promise((resolve) => setTimeout(resolve, 500));
    // The dispatcher's summaries of earlier calls ask the same model.
    const { recent } = await standIn.requests();
    const ofThisCall = recent.filter(
      ({ role, asked }) => role !== 'llm' || !/summar/iu.test(String(asked['lastUser'])),
    );
    const outcomes = ofThisCall.map(({ role, outcome }) => `${role} ${outcome}`);
    expect(outcomes).toContain('llm aborted');
    expect(outcomes.filter((outcome) => outcome.endsWith('open'))).toEqual([]);
  }, 30_000);
});
