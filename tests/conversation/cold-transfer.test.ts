import { describe, expect, it } from '@jest/globals';
import type { MediumSpec } from '@calls/api-contract/call-spec';
import { delay } from '@calls/foundation/clock';
import { serverWebSocketSpec, sipSpec } from '@calls/testkit/call-spec';
import { expectNothingLeft, startToolCall, type Scripts } from '../support/scripted-call.ts';
import { builtInTool } from '../support/scripted-tools.ts';

const PHONE: MediumSpec = { kind: 'telephony1', dials: false, dtmf: null };
const body = { location: 'PARAMETER_LOCATION_BODY', schema: { type: 'string' } } as const;
const transfers = builtInTool('coldTransfer', {
  dynamicParameters: [{ ...body, name: 'target', required: true }],
});
const transfer = (target: string) => ({ name: 'coldTransfer', arguments: { target } });

function call(scripts: Scripts, medium = PHONE) {
  const tools = [transfers, ...(scripts.stage?.tools ?? [])];
  return startToolCall({
    stt: ['a person please'],
    ...scripts,
    spec: { medium, ...scripts.spec },
    stage: { ...scripts.stage, tools },
  });
}

const SIP = sipSpec({ direction: 'incoming', to: 'sip:a@calls.test', from: 'sip:b@pbx.test' });

/** A SIP call in which a transfer takes 500 ms to succeed or fail. */
function sipCall(scripts: Scripts, succeeds: boolean) {
  const asked: string[] = [];
  const one = call(
    {
      ...scripts,
      transfer: async (target, clock) => {
        asked.push(target);
        await delay(clock, 500);
        return succeeds;
      },
    },
    SIP,
  );
  return { one, asked };
}

const ASKED = {
  say: 'I put you through to the front desk, one moment please.',
  call: [transfer('+49 30 123456')],
};

describe('coldTransfer', () => {
  it.each(['telephony1', 'telephony2', 'telephony3'] as const)(
    'ends the call after the response and reports the transfer target over %s',
    async (kind) => {
      const one = call({ llm: [ASKED] }, { ...PHONE, kind });
      await one.saySomething(800);
      expect(one.outcome).toBeNull();
      await one.transport.silence(one.clock, 3000);
      expect(one.outcome).toMatchObject({ reason: 'agent_hangup', transferTo: '+4930123456' });
      expect(one.messages).toContain(`AGENT: ${ASKED.say}`);
      expect(one.messages).toContain('TOOL_RESULT: The call is handed over to +4930123456.');
      expect(one.transport.closedWith).toBe('agent_hangup');
      expectNothingLeft(one);
    },
  );

  describe('over SIP', () => {
    it('waits until the response is played, transfers, and ends the call', async () => {
      const { one, asked } = sipCall({ llm: [ASKED] }, true);
      await one.saySomething(800);
      expect(asked).toEqual([]);
      await one.transport.silence(one.clock, 4000);
      expect(asked).toEqual(['+4930123456']);
      expect(one.outcome).toMatchObject({ reason: 'agent_hangup', transferTo: '+4930123456' });
      expect(one.messages).toContain('TOOL_RESULT: The call is handed over to +4930123456.');
      expect(one.noted('transfer_refused')).toEqual([]);
      expectNothingLeft(one);
    });

    it('returns the user to the agent if the transfer is refused or not answered', async () => {
      const { one, asked } = sipCall({ llm: [ASKED, 'The front desk does not answer.'] }, false);
      await one.saySomething(7000);
      expect(asked).toHaveLength(1);
      expect(one.outcome).toBeNull();
      const result = 'TOOL_RESULT: Error: the transfer to +4930123456 was refused or not answered';
      expect(one.messages).toContain(result);
      expect(one.messages.at(-1)).toBe('AGENT: The front desk does not answer.');
      expect(one.noted('transfer_refused')).toHaveLength(1);
      await one.hangUp();
      expect(one.outcome).toMatchObject({ reason: 'hangup', transferTo: null });
      expectNothingLeft(one);
    });

    it('reports the target if the phone hangs up first', async () => {
      const { one, asked } = sipCall({ llm: [{ call: [transfer('+4930123456')] }] }, true);
      await one.saySomething();
      for (let i = 0; i < 100 && asked.length === 0; i += 1) await one.transport.silence(one.clock, 20);
      expect(asked).toHaveLength(1);
      await one.hangUp();
      expect(one.outcome).toMatchObject({ reason: 'hangup', transferTo: '+4930123456' });
      expectNothingLeft(one);
    });
  });

  it.each([
    ['telephony4', { ...PHONE, kind: 'telephony4' }],
    ['a WebSocket', serverWebSocketSpec()],
    ['WebRTC', { kind: 'webRtc', dataMessages: {} }],
  ] satisfies [string, MediumSpec][])('fails over %s', async (_name, medium) => {
    const one = call({ llm: [ASKED, 'I cannot.'] }, medium);
    await one.saySomething(5000);
    const result = 'TOOL_RESULT: Error: calls over this medium cannot be transferred';
    expect(one.messages).toContain(result);
    expect(one.messages.at(-1)).toBe('AGENT: I cannot.');
    await one.hangUp();
    expect(one.outcome).toMatchObject({ reason: 'hangup', transferTo: null });
  });

  it('fails for an invalid target, after which the model may retry', async () => {
    const one = call({
      llm: [{ call: [transfer('the front desk')] }, { call: [transfer('sip:desk@pbx.test')] }],
    });
    await one.saySomething(3000);
    expect(one.messages[2]).toMatch(/^TOOL_RESULT: Error: target must be a phone number .* or a SIP URI/u);
    expect(one.outcome).toMatchObject({ reason: 'agent_hangup', transferTo: 'sip:desk@pbx.test' });
    expectNothingLeft(one);
  });

  it('ends the call even if the user speaks over the response', async () => {
    const one = call({ stt: ['a person please', 'no wait a moment'], llm: [ASKED, 'Yes?'] });
    await one.saySomething(700);
    await one.saySomething(3000);
    expect(one.outcome).toMatchObject({ reason: 'agent_hangup', transferTo: '+4930123456' });
    expectNothingLeft(one);
  });

  it('reports no target when the call ends first', async () => {
    const hungUp = call({ llm: [ASKED] });
    const ended = call({ llm: [ASKED] });
    for (const one of [hungUp, ended]) {
      await one.saySomething(800);
      expect([one.noted('tool_used').length, one.transport.states.at(-1)]).toEqual([1, 'speaking']);
    }
    await hungUp.hangUp();
    ended.session.end('agent_hangup');
    await ended.clock.advance(100);
    expect(hungUp.outcome).toMatchObject({ reason: 'hangup', transferTo: null });
    expect(ended.outcome).toMatchObject({ reason: 'agent_hangup', transferTo: null });
  });

  it('reports the target when the connection is lost during the final message', async () => {
    const one = call({ llm: [ASKED] });
    await one.saySomething(800);
    await one.loseConnection();
    expect(one.outcome).toMatchObject({ reason: 'agent_hangup', transferTo: '+4930123456' });
    expectNothingLeft(one);
  });

  it('has no effect in a discarded speculative response', async () => {
    // The generation starts in the pause and is discarded when the user continues.
    const precomputable = { ...transfers, definition: { ...transfers.definition, precomputable: true } };
    const one = startToolCall({
      stt: ['a person', 'a person is what I do not want'],
      llm: [ASKED, 'As you like.'],
      spec: { medium: PHONE },
      stage: { tools: [precomputable], vad: { ...SLOW_VAD } },
      sttDelayMs: 40,
    });
    await one.transport.speak(one.clock, 1000);
    await one.transport.silence(one.clock, 900);
    expect(one.llm.requests).toHaveLength(1);
    await one.transport.speak(one.clock, 800);
    await one.transport.silence(one.clock, 5000);
    expect(one.llm.requests).toHaveLength(2);
    expect([one.outcome, one.messages.at(-1)]).toEqual([null, 'AGENT: As you like.']);
    await one.hangUp();
    expect(one.outcome).toMatchObject({ reason: 'hangup', transferTo: null });
    expectNothingLeft(one);
  });

  describe.each([
    ['strict', {}],
    ['not strict', { strict: false }],
  ])('together with hangUp (%s)', (_name, staticValues) => {
    const hangUp = { name: 'hangUp', arguments: {} };
    const hangsUp = builtInTool('hangUp', {
      staticParameters: Object.entries(staticValues).map(([name, value]) => ({ ...body, name, value })),
    });
    const both = [
      ['before', [hangUp, transfer('+4930123456')]],
      ['after', [transfer('+4930123456'), hangUp]],
    ] as const;

    it.each(both)('transfers a phone call if hangUp is called %s it', async (_when, calls) => {
      const one = call({ llm: [{ say: 'Bye.', call: [...calls] }], stage: { tools: [hangsUp] } });
      await one.saySomething(3000);
      expect(one.messages).toContain('TOOL_RESULT: The call is handed over to +4930123456.');
      expect(one.outcome).toMatchObject({ reason: 'agent_hangup', transferTo: '+4930123456' });
      expectNothingLeft(one);
    });

    it.each(both)('transfers a SIP call if hangUp is called %s it', async (_when, calls) => {
      const llm = [{ say: 'Bye.', call: [...calls] }];
      const { one, asked } = sipCall({ llm, stage: { tools: [hangsUp] } }, true);
      await one.saySomething(4000);
      expect(asked).toEqual(['+4930123456']);
      expect(one.outcome).toMatchObject({ reason: 'agent_hangup', transferTo: '+4930123456' });
      expectNothingLeft(one);
    });
  });

  it('ends the call if hangUp is called with it and the transfer fails', async () => {
    const calls = [{ name: 'hangUp', arguments: {} }, transfer('+4930123456')];
    const llm = [{ say: 'Bye.', call: calls }, 'Never said.'];
    const { one, asked } = sipCall({ llm, stage: { tools: [builtInTool('hangUp')] } }, false);
    await one.saySomething(4000);
    expect(asked).toEqual(['+4930123456']);
    expect(one.outcome).toMatchObject({ reason: 'agent_hangup', transferTo: null });
    expect(one.messages).not.toContain('AGENT: Never said.');
    expectNothingLeft(one);
  });
});

/** Leaves time for a speculative generation before the turn ends. */
const SLOW_VAD = {
  turnEndpointDelayMs: 1500,
  minimumTurnDurationMs: 0,
  minimumInterruptionDurationMs: 90,
  frameActivationThreshold: 0.1,
};
