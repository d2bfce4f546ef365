import { describe, expect, it } from '@jest/globals';
import { agentSpeaksFirst } from '@calls/testkit/call-spec';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { ResponseStart } from '@calls/conversation/session/response-start';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { SPOKEN_MS_PER_CHAR } from '@calls/testkit/scripted/scripted-providers';
import { expectNothingLeft, startCall, type Scripts } from '../support/scripted-call.ts';

const agentFirst: Partial<CallSpec> = {
  firstSpeaker: agentSpeaksFirst(null),
};

describe('CallSession', () => {
  it('greets, transcribes, responds, hangs up and releases everything', async () => {
    const call = startCall({
      stt: ['I need help'],
      llm: ['Hello there.', 'Of course. What is it?'],
      spec: agentFirst,
    });
    await call.transport.silence(call.clock, 2000);
    expect(call.transport.states).toEqual(['idle', 'thinking', 'speaking', 'listening']);
    await call.saySomething(3000);
    await call.hangUp();
    expect(call.transport.transcript).toEqual([
      'agent: Hello there.',
      'user: I need help',
      'agent: Of course. What is it?',
    ]);
    expect(call.messages).toEqual([
      'AGENT: Hello there.',
      'USER: I need help',
      'AGENT: Of course. What is it?',
    ]);
    expect(call.outcome).toMatchObject({ reason: 'hangup', inputTokens: 20, outputTokens: 10 });
    expect(call.llm.requests[1]?.messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'assistant', content: 'Hello there.' },
      { role: 'user', content: 'I need help' },
    ]);
    expectNothingLeft(call);
  });

  it("responds within the longer of the endpoint delay and the providers' total latency", async () => {
    const call = startCall({ stt: ['one'], llm: ['Yes.'] });
    await call.saySomething(1000);
    // 120 + 250 + 120 ms, which start with the first window of silence (up to 32 ms and a frame later).
    expect(call.latencies).toHaveLength(1);
    expect(call.latencies[0]).toBeGreaterThanOrEqual(490);
    expect(call.latencies[0]).toBeLessThanOrEqual(490 + 60);
  });

  it('lowers its volume when interrupted, then silent, and records only what was played', async () => {
    const long = 'This is a rather long answer that goes on and on for quite some time.';
    const call = startCall({ stt: ['go on', 'stop please'], llm: [long, 'Fine.'] });
    await call.saySomething(1800);
    expect(call.transport.states.at(-1)).toBe('speaking');
    const interruptedAtMs = call.clock.nowMs();
    await call.transport.speak(call.clock, 760);
    const pausedAtMs = call.transport.clears[0] ?? Number.NaN;
    expect(pausedAtMs - interruptedAtMs).toBeLessThanOrEqual(700 + 40);
    expect(call.transport.playedMs(pausedAtMs + 1)).toBe(0);
    // An interruption is detected after three windows and a frame; the client has 60 ms of loud audio by then.
    const softMs = interruptedAtMs + 96 + 40 + 60 + 20;
    const levels = call.transport.playedAudio(pausedAtMs, interruptedAtMs);
    expect(levels[0]).toBe(1000);
    expect(new Set(levels.subarray((softMs - interruptedAtMs) * 16))).toEqual(new Set([250]));
    const order = call.transport.messages
      .filter(({ atMs }) => atMs >= interruptedAtMs)
      .map(({ what }) => (what.type === 'state' ? what.state : what.type));
    expect(order.indexOf('playback_clear_buffer')).toBeLessThan(order.indexOf('listening'));
    await call.transport.silence(call.clock, 3000);
    await call.hangUp();
    const cut = call.messages[1] ?? '';
    expect(long.startsWith(cut.slice('AGENT: '.length))).toBe(true);
    expect(cut.length).toBeGreaterThan(15);
    expect(cut.length).toBeLessThan(60);
    expect(call.messages.slice(2)).toEqual(['USER: stop please', 'AGENT: Fine.']);
    expect(call.llm.requests[1]?.messages.at(-2)?.content).toBe(cut.slice('AGENT: '.length));
    expect(call.transport.transcript[1]).toBe(cut.replace('AGENT', 'agent'));
    expectNothingLeft(call);
  });

  it('does not pause for a cough, and plays every word', async () => {
    const answer = 'Here are the opening hours of the shop. We open at nine.';
    const call = startCall({ stt: ['hours', ''], llm: [answer] });
    await call.saySomething(800);
    await call.transport.speak(call.clock, 200);
    await call.transport.silence(call.clock, 6000);
    expect(call.messages).toEqual(['USER: hours', `AGENT: ${answer}`]);
    expect(call.transport.clears).toEqual([]);
    const spokenMs = (answer.length - 1) * SPOKEN_MS_PER_CHAR;
    expect(call.transport.playedMs()).toBeGreaterThanOrEqual(spokenMs);
    expect(call.transport.playedMs()).toBeLessThanOrEqual(spokenMs + 20);
    await call.hangUp();
  });

  it("paces audio in real time within the client's buffer", async () => {
    const call = startCall({
      stt: ['x'],
      llm: ['A sentence that takes a few seconds to be spoken out loud.'],
    });
    await call.saySomething(4000);
    const { frames } = call.transport;
    const firstMs = frames[0]?.atMs ?? 0;
    let sentMs = 0;
    for (const { atMs, what } of frames) {
      sentMs += what / 16;
      expect(sentMs - (atMs - firstMs)).toBeLessThanOrEqual(60 + 0.001);
      expect(sentMs - (atMs - firstMs)).toBeGreaterThanOrEqual(60 - 20 - 20);
      if (sentMs >= 60) break;
    }
    for (const [i, { atMs }] of frames.entries()) {
      if (i >= 3) expect(Math.abs(atMs - firstMs - (i - 2) * 20)).toBeLessThanOrEqual(5);
    }
    await call.hangUp();
  });

  it('sends and stores nothing of a discarded generation', async () => {
    const call = startCall({ stt: ['I would like some tea'], llm: ['Too soon.', 'Right answer.'] });
    await call.transport.speak(call.clock, 600);
    await call.transport.silence(call.clock, 260);
    await call.transport.speak(call.clock, 600);
    await call.transport.silence(call.clock, 2000);
    await call.hangUp();
    expect(call.llm.requests.length).toBe(2);
    expect(call.messages).toEqual(['USER: I would like some tea', 'AGENT: Right answer.']);
    expect(call.outcome?.outputTokens).toBe(5);
    expect(call.transport.messages.some(({ what }) => JSON.stringify(what).includes('Too soon'))).toBe(false);
    expectNothingLeft(call);
  });

  it('sends speech-to-text the audio before speech was detected', async () => {
    const call = startCall({ stt: ['hello'] });
    await call.transport.silence(call.clock, 1000);
    await call.saySomething();
    expect(call.stt.asked[0]).toBeGreaterThan(1000 + 250);
    await call.hangUp();
  });

  it.each<[string, Scripts, string]>([
    ['a failed transcription', { stt: ['fail', 'fail'] }, "Sorry, I didn't catch that."],
    ['a transcription without a result', { stt: ['never'] }, "Sorry, I didn't catch that."],
    ['a model error', { stt: ['x'], llm: ['fail'] }, 'Sorry, something went wrong'],
    ['a missing model response', { stt: ['x'], llm: ['never'] }, 'One moment, please.'],
    ['a truncated model response', { stt: ['x'], llm: ['First part. CUT never said'] }, 'First part.'],
  ])('speaks within 3 s after %s', async (_what, scripts, expected) => {
    const call = startCall(scripts);
    await call.transport.speak(call.clock, 1000);
    const doneMs = call.clock.nowMs();
    await call.transport.silence(call.clock, 8000);
    const first = call.transport.frames.find(({ atMs }) => atMs > doneMs);
    expect((first?.atMs ?? Number.POSITIVE_INFINITY) - doneMs).toBeLessThan(3000);
    expect(call.transport.messages.map(({ what }) => ('delta' in what ? what.delta : '')).join('')).toContain(
      expected,
    );
    await call.hangUp();
    expect(call.outcome?.reason).toBe('hangup');
    expectNothingLeft(call);
  });

  it('apologizes after a truncated response and continues', async () => {
    const call = startCall({ stt: ['x', 'y'], llm: ['First part. CUT never said', 'All well.'] });
    await call.saySomething(8000);
    expect(call.messages.slice(1)).toEqual([
      'AGENT: First part.',
      'AGENT: Sorry, something went wrong on my side. Could you say that again?',
    ]);
    expect(call.noted('response_error')).toHaveLength(1);
    await call.saySomething(3000);
    expect(call.messages.at(-1)).toBe('AGENT: All well.');
    await call.hangUp();
  });

  it("uses the fallback voice when TTS fails, with a cooldown for the call's voice", async () => {
    const call = startCall({ stt: ['x', 'y'], llm: ['One. Two.', 'Three.'] });
    call.tts.failures.set('main', 'fail');
    await call.saySomething(3000);
    await call.saySomething(3000);
    expect(call.messages).toEqual(['USER: x', 'AGENT: One. Two.', 'USER: y', 'AGENT: Three.']);
    expect(call.noted('voice_error')).toHaveLength(1);
    await call.hangUp();
  });

  it.each([
    { retryAfterMs: 1000, laterMs: 3000, voices: ['spare', 'main'] },
    { retryAfterMs: 60_000, laterMs: 40_000, voices: ['spare'] },
  ])("skips the call's voice for the $retryAfterMs ms that its provider asks for", async (each) => {
    const { retryAfterMs, laterMs, voices } = each;
    const call = startCall({ stt: ['x', 'y'], llm: ['One.', 'Two.'] });
    call.tts.failures.set(
      'main',
      new ProviderError('main', 'refused', 'too many requests', { retryAfterMs }),
    );
    await call.saySomething(laterMs);
    call.tts.failures.clear();
    await call.saySomething(3000);
    expect(call.tts.voices).toEqual(voices);
    await call.hangUp();
  });

  it("plays a filler with the fallback voice when the call's voice does not respond", async () => {
    const call = startCall({ stt: ['x'], llm: ['One.'] });
    call.tts.failures.set('main', 'never');
    await call.transport.speak(call.clock, 1000);
    const doneMs = call.clock.nowMs();
    await call.transport.silence(call.clock, 5000);
    expect((call.transport.frames[0]?.atMs ?? 0) - doneMs).toBeLessThan(3000);
    await call.hangUp();
    expect(call.messages[1]).toBe('AGENT: One moment, please.');
    expectNothingLeft(call);
  });

  it("plays a filler with the call's voice while the model is slow", async () => {
    const call = startCall({ stt: ['x'], llm: ['One.'], llmDelayMs: 4000 });
    await call.saySomething(7000);
    expect(call.messages[1]).toBe('AGENT: One moment, please. One.');
    expect(call.tts.voices).toEqual(['main']);
    await call.hangUp();
  });

  it('reports token usage of every model request except for discarded generations', async () => {
    const call = startCall({ stt: ['x', 'y'], llm: ['One.', 'Two.', 'Three.'] });
    await call.transport.speak(call.clock, 1000);
    await call.transport.silence(call.clock, 250);
    await call.saySomething(3000);
    expect(call.llm.requests.length).toBeGreaterThan(1);
    const usage = { severity: 'debug', extras: { inputTokens: 10, outputTokens: 5 } };
    expect(call.noted('model_usage')).toEqual([expect.objectContaining(usage)]);
    await call.hangUp();
  });

  it('drops a filler that would delay the response', async () => {
    const call = startCall({ stt: ['x'], llm: ['One.'], llmDelayMs: 2100, ttsDelayMs: 300 });
    await call.saySomething(5000);
    expect(call.noted('reply_slow')).toHaveLength(1);
    expect(call.messages[1]).toBe('AGENT: One.');
    await call.hangUp();
  });

  it('ends with system_error after three failures', async () => {
    const call = startCall({ stt: ['a', 'b', 'c', 'd'], llm: ['fail', 'fail', 'fail', 'fail'] });
    for (let i = 0; i < 3; i += 1) {
      await call.saySomething(7000);
    }
    expect(call.outcome?.reason).toBe('system_error');
    expect(call.messages.at(-1)).toContain('technical difficulties');
    expectNothingLeft(call);
  });

  it('ends with system_error when no voice works', async () => {
    const call = startCall({ llm: ['Hello.'], spec: agentFirst });
    call.tts.failures.set('main', 'fail').set('spare', 'fail');
    await call.transport.silence(call.clock, 5000);
    expect(call.outcome?.reason).toBe('system_error');
    expectNothingLeft(call);
  });

  it('responds in text when requested and follows the urgency of messages', async () => {
    const call = startCall({ llm: ['Typed answer.', 'Second.'], spec: { initialOutputMedium: 'text' } });
    call.transport.say({ type: 'user_text_message', text: 'for later', urgency: 'later' });
    await call.clock.advance(1000);
    expect(call.llm.requests).toHaveLength(0);
    call.transport.say({ type: 'user_text_message', text: 'hello' });
    await call.clock.advance(1000);
    expect(call.transport.playedMs()).toBe(0);
    expect(call.transport.transcript).toEqual(['user: for later', 'user: hello', 'agent: Typed answer.']);
    expect(call.transport.states).toEqual(['idle', 'listening', 'thinking', 'listening']);
    call.transport.say({ type: 'set_output_medium', medium: 'voice' });
    call.transport.say({ type: 'input_text_message', text: 'and now aloud' });
    await call.clock.advance(3000);
    expect(call.transport.playedMs()).toBeGreaterThan(300);
    await call.hangUp();
  });

  it.each(['speculation', 'turnResponded', 'frameSent'] as const)(
    'ends with system_error and reports an internal_error when the metric %s throws',
    async (part) => {
      const broken = (): never => {
        throw new Error('a bug');
      };
      const call = startCall({ stt: ['x'], llm: ['Yes.'], metrics: { [part]: broken } });
      await call.saySomething(2000);
      expect(call.outcome?.reason).toBe('system_error');
      expect(call.transport.closedWith).toBe('system_error');
      expect(call.noted('internal_error')).toHaveLength(1);
      expectNothingLeft(call);
    },
  );

  it('limits generations when a client sends urgent messages repeatedly', async () => {
    const texts = 200;
    const call = startCall({
      llm: Array<string>(texts).fill('Yes, that is so, and it is so for everybody.'),
    });
    for (let i = 0; i < texts; i += 1) {
      call.transport.say({ type: 'user_text_message', text: `number ${i}`, urgency: 'immediate' });
      await call.transport.silence(call.clock, 20);
    }
    // A burst of twenty and then one per second, plus the requests between responses.
    expect(call.llm.requests.length).toBeGreaterThanOrEqual(20);
    expect(call.llm.requests.length).toBeLessThan(30);
    await call.transport.silence(call.clock, 10_000);
    expect(call.messages.filter((message) => message.startsWith('USER: '))).toHaveLength(texts);
    await call.hangUp();
  });

  it('plays no filler for a slow text response', async () => {
    const call = startCall({ llm: ['At last.'], llmDelayMs: 4000, spec: { initialOutputMedium: 'text' } });
    call.transport.say({ type: 'user_text_message', text: 'hello' });
    await call.clock.advance(5000);
    expect(call.transport.transcript).toEqual(['user: hello', 'agent: At last.']);
    expect(call.noted('reply_slow')).toEqual([]);
    await call.hangUp();
  });

  it('responds to ping and continues after unknown and malformed messages', async () => {
    const call = startCall({});
    call.transport.say({ type: 'ping', timestamp: 42 });
    call.transport.events.push({ type: 'unknown_data', messageType: 'x' });
    call.transport.events.push({ type: 'malformed', detail: 'is not JSON' });
    await call.clock.advance(100);
    const types = call.transport.messages.map(({ what }) => what.type);
    expect(types).toEqual(['call_started', 'state', 'state', 'pong', 'debug', 'call_event']);
    expect(call.noted('malformed_message')).toHaveLength(1);
    await call.hangUp();
  });

  it('warns about overflow and underflow once per interval', async () => {
    const call = startCall({});
    for (let i = 0; i < 100; i += 1) {
      call.transport.events.push({ type: 'input_dropped', durationMs: 20 });
      call.transport.events.push({ type: 'input_missing', durationMs: 20 });
      await call.clock.advance(20);
    }
    expect([call.noted('audio_overflow').length, call.noted('audio_underflow').length]).toEqual([1, 1]);
    await call.hangUp();
  });

  it('speaks forced messages verbatim and calls their tools', async () => {
    const call = startCall({ llm: ['Fine.'] });
    const forced = { type: 'forced_agent_message', content: 'The doctor is in.' } as const;
    call.transport.say(forced);
    call.transport.say({ ...forced, content: ' ' });
    await call.transport.silence(call.clock, 2000);
    call.transport.say({ type: 'user_text_message', text: 'Thanks' });
    await call.transport.silence(call.clock, 2000);
    expect(call.messages).toEqual(['AGENT: The doctor is in.', 'USER: Thanks', 'AGENT: Fine.']);
    expect(call.llm.requests[0]?.messages[1]).toEqual({ role: 'assistant', content: 'The doctor is in.' });
    const debug = call.transport.messages.filter(({ what }) => what.type === 'debug');
    expect(debug).toHaveLength(1);
    call.transport.say({ ...forced, toolCalls: [{ id: 'f1', name: 'nothing', arguments: { a: 1 } }] });
    await call.transport.silence(call.clock, 3000);
    expect(call.messages.slice(3)).toEqual([
      'AGENT: The doctor is in.',
      'TOOL_CALL: {"a":1}',
      'TOOL_RESULT: Error: unknown tool nothing',
      'AGENT: I see.',
    ]);
    await call.hangUp();
  });

  it('ends with timeout at maxDuration and with connection_error when the connection fails', async () => {
    const timed = startCall({ spec: { maxDurationMs: 5000 } });
    await timed.transport.silence(timed.clock, 5100);
    expect([timed.outcome?.reason, timed.transport.closedWith]).toEqual(['timeout', 'timeout']);
    const broken = startCall({});
    broken.transport.hangUp('connection_error');
    await broken.clock.advance(10);
    expect(broken.outcome?.reason).toBe('connection_error');
    expectNothingLeft(broken);
  });

  it('reports the start of a greeting and of voice and text responses to text messages', async () => {
    const starts: ResponseStart[] = [];
    const metrics = { responseStarted: (start: ResponseStart) => void starts.push(start) };
    const call = startCall({ spec: agentFirst, llm: ['Hello.', 'By voice.', 'In writing.'], metrics });
    await call.transport.silence(call.clock, 3000);
    call.transport.say({ type: 'user_text_message', text: 'Speak.' });
    await call.transport.silence(call.clock, 3000);
    call.transport.say({ type: 'set_output_medium', medium: 'text' });
    call.transport.say({ type: 'user_text_message', text: 'Write.' });
    await call.transport.silence(call.clock, 3000);
    const spoken = { medium: 'voice', firstTokenMs: 250, firstAudioMs: 370, generationStartedMs: 0 };
    expect(starts).toEqual([
      { trigger: 'greeting', ...spoken, firstOutputMs: expect.any(Number) },
      { trigger: 'text_message', ...spoken, firstOutputMs: expect.any(Number) },
      expect.objectContaining({
        trigger: 'text_message',
        medium: 'text',
        firstTokenMs: 250,
        firstAudioMs: null,
      }),
    ]);
    for (const start of starts.slice(0, 2)) expect(start.firstOutputMs).toBeGreaterThanOrEqual(370);
  });

  it('plays the message of a hang_up before it ends the call', async () => {
    const call = startCall({ spec: agentFirst, llm: ['Hello, this is a long greeting.'] });
    await call.transport.silence(call.clock, 700);
    call.transport.say({ type: 'hang_up', message: 'Goodbye.' });
    await call.transport.silence(call.clock, 2000);
    expect(call.outcome?.reason).toBe('hangup');
    expect(call.messages.at(-1)).toBe('AGENT: Goodbye.');
    expectNothingLeft(call);
  });

  it('ends with agent_hangup when the data connection hangs up', async () => {
    let hangUp = (): void => undefined;
    const call = startCall({
      spec: { dataConnection: { url: 'wss://owner.test', headers: {}, dataMessages: {}, audio: null } },
      services: {
        dataConnections: {
          open(_call, listener) {
            hangUp = () => listener.onMessage({ type: 'hang_up', message: 'Goodbye.' });
            return { send: () => undefined, writeAudio: null, close: () => Promise.resolve() };
          },
        },
      },
    });
    hangUp();
    await call.transport.silence(call.clock, 2000);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expect(call.messages).toEqual(['AGENT: Goodbye.']);
  });
});
