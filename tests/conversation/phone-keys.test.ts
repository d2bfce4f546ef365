import { describe, expect, it } from '@jest/globals';
import type { TelephonySpec } from '@calls/api-contract/call-spec';
import { expectNothingLeft, resumeCall, startCall, type Scripts } from '../support/scripted-call.ts';

const LONG = 'One two three four five six seven eight nine ten eleven twelve.';

function phoneCall(scripts: Scripts = {}, dtmf: Partial<TelephonySpec['dtmf']> | null = {}) {
  const medium: TelephonySpec = {
    kind: 'telephony1',
    dials: false,
    dtmf: dtmf && { text: 'I pressed {digits}.', urgency: 'soon', ...dtmf },
  };
  const call = startCall({ ...scripts, spec: { ...scripts.spec, medium } });
  const press = (keys: string): void => {
    for (const digit of keys) call.transport.events.push({ type: 'dtmf', digit });
  };
  return { ...call, call, press };
}

describe('DTMF keys', () => {
  it('form one message and get a response even in a voice-only call', async () => {
    const { call, press, transport, clock } = phoneCall({
      llm: ['Thank you.'],
      spec: { allowedMediums: ['voice'] },
    });
    press('47');
    await transport.silence(clock, 1400);
    press('11#');
    await transport.silence(clock, 1400);
    expect(call.messages).toEqual([]);
    await transport.silence(clock, 2000);
    expect(call.messages).toEqual(['USER: I pressed 4711#.', 'AGENT: Thank you.']);
    expect(call.entries[0]).toMatchObject({ medium: 'MESSAGE_MEDIUM_TEXT' });
    expect(call.noted('medium_not_allowed')).toEqual([]);
    expect(transport.transcript[0]).toBe('user: I pressed 4711#.');
    await call.hangUp();
  });

  it('are ignored when disabled and on other mediums', async () => {
    const ignoring = phoneCall({}, null);
    ignoring.press('1');
    const socket = startCall({});
    socket.transport.events.push({ type: 'dtmf', digit: '1' });
    for (const call of [ignoring.call, socket]) {
      await call.transport.silence(call.clock, 2000);
      expect(call.messages).toEqual([]);
      await call.hangUp();
      expect(call.messages).toEqual([]);
      expectNothingLeft(call);
    }
  });

  it('are ignored with a debug message when a client without WebRTC sends them as a message', async () => {
    const call = startCall({});
    call.transport.events.push({ type: 'data', message: { type: 'dtmf', digits: '1' } });
    await call.transport.silence(call.clock, 2000);
    const reply = expect.objectContaining({
      type: 'debug',
      message: expect.stringContaining('dtmf was ignored'),
    });
    expect(call.transport.messages.map(({ what }) => what)).toContainEqual(reply);
    expect(call.messages).toEqual([]);
    await call.hangUp();
  });

  it('are accepted over WebRTC from telephone events and data messages', async () => {
    const call = startCall({ llm: ['Thank you.'], spec: { medium: { kind: 'webRtc', dataMessages: {} } } });
    call.transport.events.push({ type: 'dtmf', digit: '4' });
    call.transport.events.push({ type: 'data', message: { type: 'dtmf', digits: '2a#' } });
    call.session.receive({ type: 'dtmf', digits: '9' });
    await call.transport.silence(call.clock, 4000);
    expect(call.messages).toEqual(['USER: 42A#', 'AGENT: Thank you.']);
    await call.hangUp();
  });

  it.each([
    ['immediate', 'One two three', ['USER: I pressed 5.', 'AGENT: Yes?']],
    ['soon', LONG, ['USER: I pressed 5.', 'AGENT: Yes?']],
    ['later', LONG, ['USER: I pressed 5.']],
  ] as const)('are handled with the urgency %s while the agent speaks', async (urgency, spoken, then) => {
    const { call, press, transport, clock } = phoneCall({ stt: ['hello'], llm: [LONG, 'Yes?'] }, { urgency });
    await call.saySomething();
    await transport.silence(clock, 500);
    press('5');
    await transport.silence(clock, 8000);
    const [user, agent, ...rest] = call.messages;
    expect([user, rest]).toEqual(['USER: hello', then]);
    expect(agent?.startsWith(`AGENT: ${spoken}`)).toBe(true);
    expect(agent === `AGENT: ${LONG}`).toBe(urgency !== 'immediate');
    await call.hangUp();
  });

  it('are added to the history when the call ends before the message is complete', async () => {
    const left = phoneCall({ stt: ['hello'], llm: [LONG] });
    await left.call.saySomething();
    await left.transport.silence(left.clock, 800);
    left.press('12');
    await left.transport.silence(left.clock, 40);
    await left.call.hangUp();
    expect(left.call.messages.at(-1)).toBe('USER: I pressed 12.');
    expect(left.call.messages.at(-2)).toMatch(/^AGENT: One/u);

    const ended = phoneCall();
    ended.press('34');
    await ended.transport.silence(ended.clock, 40);
    ended.session.end('agent_hangup');
    await ended.clock.advance(100);
    expect(ended.call.messages).toEqual(['USER: I pressed 34.']);
    for (const { call } of [left, ended]) expectNothingLeft(call);
  });

  it('are added to the history when pressed during the final message', async () => {
    const { call, press, transport, clock } = phoneCall();
    call.session.receive({ type: 'hang_up', message: 'Goodbye then, and a nice day.' });
    await transport.silence(clock, 300);
    press('7');
    await transport.silence(clock, 6000);
    expect(call.messages).toEqual(['AGENT: Goodbye then, and a nice day.', 'USER: I pressed 7.']);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });

  it('get a response in the next session when the connection was lost', async () => {
    const { call, press, transport, clock } = phoneCall({ llm: ['Thank you.'] });
    press('12');
    await transport.silence(clock, 100);
    await call.loseConnection();
    expect(call.suspended?.snapshot.messages).toMatchObject([{ text: 'I pressed 12.' }]);
    const again = resumeCall(call);
    await again.transport.silence(clock, 3000);
    expect(again.messages).toEqual(['USER: I pressed 12.', 'AGENT: Thank you.']);
    await again.hangUp();
  });

  it('prevent inactivity messages', async () => {
    const inactivityMessages = [{ delayMs: 3000, text: 'Hello?', hangUp: 'always' as const }];
    const { call, press, transport, clock } = phoneCall({
      llm: ['Thank you.'],
      stage: { inactivityMessages },
    });
    for (const digit of '4929') {
      press(digit);
      await transport.silence(clock, 1400);
    }
    await transport.silence(clock, 1500);
    expect(call.messages).toEqual(['USER: I pressed 4929.', 'AGENT: Thank you.']);
    await call.hangUp();
  });

  it('interrupt the agent only at a limited rate', async () => {
    const { call, press, transport, clock } = phoneCall({}, { urgency: 'immediate' });
    press('1'.repeat(3000));
    await transport.silence(clock, 3000);
    // The rate limit for client messages allows bursts of 20.
    expect(call.llm.requests.length).toBeLessThanOrEqual(22);
    expect(call.messages.filter((text) => text.startsWith('USER'))).toHaveLength(30);
    await call.hangUp();
  });
});
