import { afterAll, describe, expect, it } from '@jest/globals';
import { bytesFromSamples, concatSamples, levelDbfs } from '@calls/audio/pcm';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallClient } from '@calls/examples/call-client';
import { humanVoice } from '@calls/testkit/speech/human-voice';
import { withNoise, withSilence } from '@calls/testkit/speech/shaping';
import { speak } from '@calls/testkit/speech/speak';
import { wordErrorRate } from '@calls/foundation/word-error-rate';
import { IS_LONG_FORM, requireQuick } from '@calls/testkit/long-form';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack } from '../support/start-stack.ts';

const itInLongForm = IS_LONG_FORM ? it : it.skip;

const stack = await startTestStack({ env: { RECONNECT_GRACE_MS: '10000' } });
const api = new Api(stack);

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});

/** Waits until the agent has finished speaking. */
function quiet(client: CallClient): Promise<void> {
  const done = (): boolean =>
    client.state === 'listening' && !client.isPlaying && client.nowMs - client.lastAudioMs > 300;
  return client.until('the agent to finish', done);
}

/** The duration of a call, rounded up. */
function expectBilledBySixSeconds({ joined, ended, billedDuration }: Call): void {
  const billedMs = Number.parseFloat(billedDuration ?? '') * 1000;
  const durationMs = Date.parse(ended ?? '') - Date.parse(joined ?? '');
  expect(billedMs % 6000).toBe(0);
  expect(billedMs).toBeGreaterThanOrEqual(durationMs);
  expect(billedMs).toBeLessThan(durationMs + 6000);
}

describe('a call with the embedded engines', () => {
  it('greets, transcribes speech, responds in speech, is interrupted, hangs up and is stored', async () => {
    const { call, client } = await api.startCall();
    expect(call).toMatchObject({ joined: null, ended: null, billingStatus: 'BILLING_STATUS_PENDING' });
    await quiet(client);
    const greeting = client.receivedAudio();
    expect(greeting.length / 16_000).toBeGreaterThan(1);
    expect(levelDbfs(greeting)).toBeGreaterThan(-40);

    const question = 'what time is the breakfast in the morning';
    await client.speak(
      withSilence(await speak({ engine: 'flite', voice: 'slt', text: question, sampleRateHz: 16_000 }), {
        beforeMs: 100,
        afterMs: 0,
        sampleRateHz: 16_000,
      }),
    );
    const spokenMs = client.nowMs;
    await client.until('an answer', () => client.lastAudioMs > spokenMs);
    // The user interrupts the response too late for the speech to count as part of the question.
    const playedSamples = (): number =>
      client.audio.reduce((sum, { atMs, samples }) => sum + (atMs > spokenMs ? samples.length : 0), 0);
    await client.until('the response to be under way', () => playedSamples() > 1.8 * 16_000);
    const asked = client.transcript.filter(({ role }) => role === 'user');
    const interruptedMs = client.nowMs;
    await client.speak(
      await speak({ engine: 'flite', voice: 'rms', text: 'stop that please', sampleRateHz: 16_000 }),
    );
    await client.until('the second answer', () => client.transcript.length >= 4 && client.isPlaying);
    const cleared = client.messages.find(
      ({ message, atMs }) => message.type === 'playback_clear_buffer' && atMs > interruptedMs,
    );
    requireQuick((cleared?.atMs ?? Number.POSITIVE_INFINITY) - interruptedMs, 1000);
    await quiet(client);
    const shown = client.transcript;
    await client.hangUp();

    const ended = await api.endedCall(call.callId);
    expect(ended).toMatchObject({ endReason: 'hangup', billingStatus: 'BILLING_STATUS_BILLED' });
    expect(Date.parse(ended.joined ?? '')).toBeLessThan(Date.parse(ended.ended ?? ''));
    expectBilledBySixSeconds(ended);

    const stored = (await api.messages(call.callId)).map(({ role, text }) => ({
      role: role?.slice(13).toLowerCase(),
      text,
    }));
    expect(stored.slice(0, shown.length)).toEqual(shown);
    // On a busy machine, gaps in the caller's audio can split a sentence; its second part may come last.
    expect(stored.length - shown.length).toBeLessThanOrEqual(2);
    expect(wordErrorRate(question, asked.map(({ text }) => text).join(' '))).toBeLessThanOrEqual(0.4);
  });

  itInLongForm.each([
    ['rms', 8000, 0.5],
    ['awb', 48_000, 0.4],
  ] as const)(
    'transcribes voice %s at %d Hz with noise and silence',
    async (voice, sampleRateHz, maxErrorRate) => {
      const { client } = await api.startCall({ firstSpeakerSettings: { user: {} } }, { sampleRateHz });
      const text = 'please tell me where the nearest station is';
      const spoken = await speak({ engine: 'flite', voice, text, sampleRateHz });
      const speech = withNoise(withSilence(spoken, { beforeMs: 700, afterMs: 100, sampleRateHz }), {
        snrDb: 40,
        seed: 1,
        sampleRateHz,
      });
      await client.speak(speech);
      await client.until('an answer', () => client.isPlaying);
      await quiet(client);
      await client.hangUp();
      const [user, agent] = client.transcript;
      expect(wordErrorRate(text, user?.text ?? '')).toBeLessThanOrEqual(maxErrorRate);
      expect(agent?.role).toBe('agent');
      expect(levelDbfs(concatSamples(client.audio.map(({ samples }) => samples)))).toBeGreaterThan(-40);
    },
  );

  it.each([8000, 16_000, 48_000])('responds to human voices at %d Hz', async (sampleRateHz) => {
    const dataMessages = { userStartedSpeaking: true, userStoppedSpeaking: true };
    const { client } = await api.startCall(
      {
        firstSpeakerSettings: { user: {} },
        medium: { serverWebSocket: { inputSampleRate: sampleRateHz, dataMessages } },
      },
      { sampleRateHz },
    );
    const voices = await Promise.all(
      (['Front_Center', 'Rear_Left'] as const).map((name) => humanVoice(name, sampleRateHz)),
    );
    const speech = withSilence(concatSamples(voices), { beforeMs: 500, afterMs: 0, sampleRateHz });
    await client.speak(speech);
    await client.until('a response', () => client.isPlaying);
    const started = client.messages.find(({ message }) => message.type === 'user_started_speaking');
    expect(started?.atMs).toBeGreaterThan(300);
    requireQuick(started?.atMs ?? Infinity, 1200);
    await client.hangUp();
  });
});

describe('joining a call', () => {
  it('is rejected for a second client, an invalid token, and an unknown or ended call', async () => {
    const { call, client } = await api.startCall({ firstSpeakerSettings: { user: {} } });
    const closeCode = async (joinUrl: string): Promise<number> => {
      const other = await api.join({ ...call, joinUrl });
      return (await other.closed).code;
    };
    const joinUrl = call.joinUrl ?? '';
    expect(await closeCode(joinUrl)).toBe(4409);
    expect(await closeCode(joinUrl.replace(/token=.{10}/u, 'token=xxxxxxxxxx'))).toBe(4401);
    expect(await closeCode(joinUrl.replace(/\?.*$/u, ''))).toBe(4401);
    const other = await api.createCall();
    expect(await closeCode(joinUrl.replace(call.callId, other.callId))).toBe(4401);
    await client.hangUp();
    await api.endedCall(call.callId);
    expect(await closeCode(joinUrl)).toBe(4404);
  });

  it('is limited by joinTimeout, after which the call ends as unjoined without charge', async () => {
    const call = await api.createCall({ joinTimeout: '1s' });
    const ended = await api.endedCall(call.callId);
    expect(ended).toMatchObject({
      joined: null,
      endReason: 'unjoined',
      billingStatus: 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION',
    });
  });

  it('stores the client version', async () => {
    const call = await api.createCall();
    const client = await api.join({ ...call, joinUrl: `${call.joinUrl ?? ''}&clientVersion=e2e_1.0` });
    await client.hangUp();
    expect((await api.endedCall(call.callId)).clientVersion).toBe('e2e_1.0');
  });
});

describe('a misbehaving client', () => {
  it('remains in its call after malformed messages, odd frames and a megabyte of text', async () => {
    const { call, client } = await api.startCall({ firstSpeakerSettings: { user: {} } });
    for (const bad of [
      '{',
      'null',
      '{"type":"ping"}',
      '{"type":"nonsense"}',
      `{"type":"${'x'.repeat(1_000_000)}"}`,
    ]) {
      client.send(bad);
    }
    for (const length of [0, 1, 3, 641, 100_001]) client.sendBinary(new Uint8Array(length));
    client.send({ type: 'ping', timestamp: 5 });
    await client.until('the pong', () => client.messages.some(({ message }) => message.type === 'pong'));
    await client.hangUp();
    expect((await api.endedCall(call.callId)).endReason).toBe('hangup');
    const warnings = await api.events(call.callId, 'warning');
    expect(warnings.filter(({ type }) => type === 'malformed_message')).toHaveLength(4);
  });

  it('is warned about ten minutes of audio in one second and about missing audio', async () => {
    const { call, client } = await api.startCall({ firstSpeakerSettings: { user: {} } });
    const second = new Uint8Array(32_000);
    for (let i = 0; i < 600; i += 1) client.sendBinary(second);
    await new Promise((resolve) => setTimeout(resolve, 500));
    client.stopStreaming();
    client.send({ type: 'ping', timestamp: 5 });
    await client.until('the pong', () => client.messages.some(({ message }) => message.type === 'pong'));
    await eventually(async () => {
      const types = (await api.events(call.callId, 'warning')).map(({ type }) => type);
      expect(types).toEqual(expect.arrayContaining(['audio_overflow', 'audio_underflow']));
    });
    await client.hangUp();
    expect((await api.endedCall(call.callId)).endReason).toBe('hangup');
  });

  it('is warned when it sends at a different rate than announced, and receives a response to speech at the right one', async () => {
    const { call, client } = await api.startCall({ firstSpeakerSettings: { user: {} } });
    client.stopStreaming();
    const send = async (text: string, rateHz: number): Promise<void> => {
      const speech = await speak({ engine: 'flite', voice: 'slt', text, sampleRateHz: rateHz });
      const frame = rateHz / 50;
      const startMs = performance.now();
      for (let sent = 0; sent < speech.length; sent += frame) {
        client.sendBinary(bytesFromSamples(speech.slice(sent, sent + frame)));
        // Sends by deadlines, so that late timers do not accumulate delay.
        const leftMs = startMs + (sent / rateHz) * 1000 - performance.now();
        if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
      }
    };
    // 48 kHz in a 16 kHz call: three seconds of audio per second. Speech-to-text may recognize nothing in it.
    await send('is anybody there, is anybody there', 48_000);
    await eventually(async () => {
      const types = (await api.events(call.callId, 'warning')).map(({ type }) => type);
      expect(types).toContain('audio_overflow');
    });
    await send('what time is the breakfast in the morning', 16_000);
    const spokenMs = client.nowMs;
    await client.until('an answer', () => client.lastAudioMs > spokenMs);
    await client.hangUp();
    expect((await api.endedCall(call.callId)).endReason).toBe('hangup');
  });

  it('ends its call with connection_error when it vanishes, or with timeout when silent, and can reconnect', async () => {
    const { call, client } = await api.startCall({ firstSpeakerSettings: { user: {} } });
    client.cut();
    expect((await api.endedCall(call.callId)).endReason).toBe('connection_error');

    const back = await api.startCall({ firstSpeakerSettings: { user: {} } });
    const starts = () => back.client.messages.filter(({ message }) => message.type === 'call_started').length;
    await back.client.until('the call to begin', () => starts() === 1);
    back.client.loseConnection();
    await back.client.until('the call to go on', () => starts() === 2);
    await back.client.hangUp();
    expect((await api.endedCall(back.call.callId)).endReason).toBe('hangup');

    const silent = await api.startCall({ firstSpeakerSettings: { user: {} }, maxDuration: '2s' });
    const closed = await silent.client.closed;
    expect(closed).toEqual({ code: 1000, reason: 'timeout' });
    const ended = await api.endedCall(silent.call.callId);
    expect(ended.endReason).toBe('timeout');
    expectBilledBySixSeconds(ended);
  });
});

describe('text messages in a call', () => {
  it('are answered with text, and with speech after set_output_medium', async () => {
    const { client } = await api.startCall({
      firstSpeakerSettings: { user: {} },
      initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
    });
    client.send({ type: 'user_text_message', text: 'Hello, who are you?' });
    await client.until('a text answer', () => client.transcript.length === 2);
    expect(client.audio).toEqual([]);
    client.send({ type: 'set_output_medium', medium: 'voice' });
    client.send({ type: 'user_text_message', text: 'Thank you.', urgency: 'immediate' });
    const spokenWords = (): boolean =>
      client.messages.some(({ message }) => message.type === 'transcript' && message.medium === 'voice');
    await client.until('a spoken answer', () => client.isPlaying && spokenWords());
    client.send({ type: 'hang_up' });
    expect(await client.closed).toEqual({ code: 1000, reason: 'hangup' });
    const medium = client.messages.flatMap(({ message }) =>
      message.type === 'transcript' ? [message.medium] : [],
    );
    expect(medium[0]).toBe('text');
    expect(medium.at(-1)).toBe('voice');
  });
});
