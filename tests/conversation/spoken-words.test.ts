import { durationToMs } from '@calls/api-contract/duration';
import { describe, expect, it } from '@jest/globals';
import { expectNothingLeft, startCall } from '../support/scripted-call.ts';

const MARKED =
  '## Hours 🕘\n- **Monday** to [Friday](https://x.org/a_b): 9.30 to 17.00\n- *closed* on Sunday 🎉';
const PLAIN = 'Hours\nMonday to Friday: 9.30 to 17.00\nclosed on Sunday';

describe('a response with markup', () => {
  it('is spoken, shown and stored without markup', async () => {
    const call = startCall({ stt: ['hours', 'thanks'], llm: [MARKED, 'Fine.'] });
    await call.saySomething(6000);
    await call.saySomething(2000);
    await call.hangUp();
    expect(call.tts.spoken.slice(0, 3)).toEqual(PLAIN.split('\n'));
    expect(call.transport.transcript[1]).toBe(`agent: ${PLAIN}`);
    expect(call.messages[1]).toBe(`AGENT: ${PLAIN}`);
    expect(call.llm.requests[1]?.messages.at(-2)).toEqual({ role: 'assistant', content: PLAIN });
    expectNothingLeft(call);
  });

  it('is cut at the last whole word played before an interruption', async () => {
    const call = startCall({ stt: ['hours', 'stop please'], llm: [MARKED, 'Fine.'] });
    await call.saySomething(1700);
    await call.transport.speak(call.clock, 800);
    await call.transport.silence(call.clock, 3000);
    await call.hangUp();
    const spoken = (call.messages[1] ?? '').slice('AGENT: '.length);
    expect(spoken.length).toBeGreaterThan('Hours\n'.length);
    expect(spoken.length).toBeLessThan(PLAIN.length);
    expect(PLAIN.startsWith(spoken)).toBe(true);
    expect(PLAIN.charAt(spoken.length)).toMatch(/\s/u);
    expect(call.transport.transcript[1]).toBe(`agent: ${spoken}`);
    expect(call.llm.requests[1]?.messages.at(-2)?.content).toBe(spoken);
    expectNothingLeft(call);
  });

  it('is shorter after an interruption when playback lags', async () => {
    const spoken: string[] = [];
    for (const lateMs of [0, 800]) {
      const call = startCall({ stt: ['hours', 'stop please'], llm: [MARKED, 'Fine.'] });
      await call.saySomething(1000);
      call.transport.behindMs = lateMs;
      await call.transport.silence(call.clock, 700);
      await call.transport.speak(call.clock, 800);
      await call.transport.silence(call.clock, 3000);
      await call.hangUp();
      spoken.push((call.messages[1] ?? '').slice('AGENT: '.length));
      expect(call.llm.requests[1]?.messages.at(-2)?.content).toBe(spoken.at(-1));
      expectNothingLeft(call);
    }
    const [inTime = '', late = ''] = spoken;
    expect(late.length).toBeGreaterThan(0);
    expect(late.length).toBeLessThan(inTime.length - 5);
    expect(inTime.startsWith(late)).toBe(true);
  });

  it('has a timespan that starts with its playback', async () => {
    const call = startCall({ stt: ['hours'], llm: ['Unfortunately, we are closed.'] });
    await call.saySomething(4000);
    await call.hangUp();
    const startMs = durationToMs(call.entries[1]?.timespan?.start ?? '');
    const [began] = call.noted('turn_latency');
    const beganMs = began?.type === 'noted' ? began.callTimestampMs : NaN;
    expect(Math.abs(startMs - beganMs)).toBeLessThanOrEqual(40);
    expectNothingLeft(call);
  });
});
