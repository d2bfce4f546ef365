import { describe, expect, it } from '@jest/globals';
import type { CallOutcome } from '@calls/conversation/session/call-outcome';
import { SPOKEN_MS_PER_CHAR } from '@calls/testkit/scripted/scripted-providers';
import { expectNothingLeft, startCall } from '../support/scripted-call.ts';

type Call = ReturnType<typeof startCall>;

/** The times at which the agent began to speak, in milliseconds since the start of the call. */
function spokeAtMs(call: Call): number[] {
  return call.transport.messages
    .filter(({ what }) => what.type === 'state' && what.state === 'speaking')
    .map(({ atMs }) => Math.round(atMs));
}

describe('a silent user', () => {
  it('receives the inactivity messages in order, after which the call ends', async () => {
    const call = startCall({
      ttsDelayMs: 100,
      stage: {
        inactivityMessages: [
          { delayMs: 5000, text: 'Hello?', hangUp: 'never' },
          { delayMs: 3000, text: 'Goodbye.', hangUp: 'unless_answered' },
        ],
      },
    });
    await call.transport.silence(call.clock, 10_000);
    const [first = 0, second = 0] = spokeAtMs(call);
    expect(first).toBeGreaterThanOrEqual(5100);
    expect(first).toBeLessThanOrEqual(5120);
    const spokenMs = 'Hello?'.length * SPOKEN_MS_PER_CHAR;
    expect(second - first).toBeGreaterThanOrEqual(3100 + spokenMs);
    expect(second - first).toBeLessThanOrEqual(3100 + spokenMs + 60);
    expect(call.messages).toEqual(['AGENT: Hello?', 'AGENT: Goodbye.']);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });

  it('has time to respond in text before the call ends', async () => {
    const inactivityMessages = [{ delayMs: 4000, text: 'Goodbye?', hangUp: 'unless_answered' as const }];
    const start = (): Call =>
      startCall({ llm: ['Good.'], stage: { inactivityMessages }, spec: { initialOutputMedium: 'text' } });
    const call = start();
    await call.transport.silence(call.clock, 6000);
    expect(call.messages).toEqual(['AGENT: Goodbye?']);
    expect(call.outcome).toBeNull();
    call.transport.say({ type: 'user_text_message', text: 'I am here.' });
    await call.transport.silence(call.clock, 3000);
    expect(call.messages).toEqual(['AGENT: Goodbye?', 'USER: I am here.', 'AGENT: Good.']);
    await call.hangUp();
    const silent = start();
    await silent.transport.silence(silent.clock, 4500 + 10_000);
    expect(silent.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(silent);
  });

  it('continues the call by responding, with the inactivity message in the history', async () => {
    const call = startCall({
      stt: ['yes'],
      llm: ['Good.'],
      stage: {
        inactivityMessages: [{ delayMs: 4000, text: 'Are you still there?', hangUp: 'unless_answered' }],
      },
    });
    await call.transport.silence(call.clock, 4500);
    await call.saySomething(3000);
    expect(call.outcome).toBeNull();
    expect(call.llm.requests.at(-1)?.messages.slice(1)).toEqual([
      // A "yes" during the question does not interrupt it and counts as the response to it.
      { role: 'assistant', content: 'Are you still there?' },
      { role: 'user', content: 'yes' },
    ]);
    await call.transport.silence(call.clock, 4000);
    expect(call.messages.at(-1)).toBe('AGENT: Are you still there?');
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });

  it('does not affect the response latencies', async () => {
    const call = startCall({
      stt: [''],
      stage: { inactivityMessages: [{ delayMs: 4000, text: 'Hello?', hangUp: 'never' }] },
    });
    await call.saySomething(5000);
    expect(call.messages).toEqual(['AGENT: Hello?']);
    expect(call.latencies).toEqual([]);
    await call.hangUp();
  });
});

describe('the time limit', () => {
  const timed = async (timeExceededMessage: string, forMs: number): Promise<CallOutcome | null> => {
    const call = startCall({ spec: { maxDurationMs: 5000 }, stage: { timeExceededMessage } });
    await call.transport.silence(call.clock, 5000 + forMs);
    if (call.outcome) {
      expectNothingLeft(call);
      expect(timeExceededMessage.startsWith(call.messages[0]?.slice('AGENT: '.length) ?? '')).toBe(true);
    }
    return call.outcome;
  };

  it('plays its message uninterrupted, then ends the call', async () => {
    const call = startCall({
      stt: ['wait'],
      spec: { maxDurationMs: 5000 },
      stage: { timeExceededMessage: 'Our time is up, goodbye.' },
    });
    await call.transport.silence(call.clock, 5200);
    await call.transport.speak(call.clock, 600);
    await call.transport.silence(call.clock, 2000);
    expect(call.messages).toEqual(['AGENT: Our time is up, goodbye.', 'USER: wait']);
    expect(call.outcome?.reason).toBe('timeout');
    expectNothingLeft(call);
  });

  it('cuts an endless message after 15 s', async () => {
    const endless = 'And one more thing. '.repeat(100);
    expect(await timed(endless, 14_900)).toBeNull();
    expect(await timed(endless, 15_100)).toMatchObject({ reason: 'timeout' });
  });

  it('does not replace another final message', async () => {
    const call = startCall({ spec: { maxDurationMs: 1000 }, stage: { timeExceededMessage: 'Time is up.' } });
    await call.transport.silence(call.clock, 900);
    call.transport.say({ type: 'hang_up', message: 'Bye, it was nice to talk to you.' });
    await call.transport.silence(call.clock, 4000);
    expect(call.messages).toEqual(['AGENT: Bye, it was nice to talk to you.']);
    expect(call.outcome?.reason).toBe('hangup');
    expectNothingLeft(call);
  });
});
