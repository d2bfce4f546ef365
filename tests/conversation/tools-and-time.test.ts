import { describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '@calls/engine-ports/language-model';
import { delay } from '@calls/foundation/clock';
import { agentSpeaksFirst, stageSpec } from '@calls/testkit/call-spec';
import { expectNothingLeft, startToolCall } from '../support/scripted-call.ts';
import { httpTool } from '../support/scripted-tools.ts';

type Call = ReturnType<typeof startToolCall>;

const lastMessage = (call: Call) => call.llm.requests.at(-1)?.messages.at(-1);

describe('a response that only calls a tool', () => {
  it('continues after a cough and speaks once the tool has returned', async () => {
    const call = startToolCall(
      {
        stt: ['look', ''],
        llm: [{ call: [{ name: 'slow', arguments: {} }] }, 'Here it is.'],
        stage: { tools: [httpTool('slow', { timeout: '10s' })] },
      },
      { delayMs: 1200 },
    );
    await call.saySomething(500);
    await call.transport.speak(call.clock, 300);
    await call.transport.silence(call.clock, 4000);
    expect(call.messages.slice(1)).toEqual(['TOOL_CALL: {}', 'TOOL_RESULT: done', 'AGENT: Here it is.']);
    await call.hangUp();
  });

  it('waits for a slow tool in text mode and reports that the tool runs', async () => {
    const slow = { call: [{ name: 'slow', arguments: {} }] };
    const call = startToolCall(
      {
        stt: ['look'],
        llm: [slow, slow, 'Here it is.'],
        stage: { tools: [httpTool('slow', { timeout: '40s' })] },
        spec: { initialOutputMedium: 'text' },
      },
      { delayMs: 12_000 },
    );
    await call.saySomething(26_000);
    const used = ['TOOL_CALL: {}', 'TOOL_RESULT: done'];
    expect(call.messages.slice(1)).toEqual([...used, ...used, 'AGENT: Here it is.']);
    const reported = { severity: 'info', extras: { reason: 'tool_running' } };
    expect(call.noted('response_missing')).toMatchObject([reported, reported]);
    expect(call.noted('interrupted')).toEqual([]);
    await call.hangUp();
  });

  it('stops the inactivity timer while the tool runs', async () => {
    const call = startToolCall(
      {
        stt: ['look'],
        llm: [{ call: [{ name: 'slow', arguments: {} }] }, 'Here.'],
        stage: {
          tools: [httpTool('slow', { timeout: '20s' })],
          inactivityMessages: [{ delayMs: 4000, text: 'Hello?', hangUp: 'always' }],
        },
      },
      { delayMs: 10_000 },
    );
    await call.saySomething(12_000);
    expect(call.messages.at(-1)).toBe('AGENT: Here.');
    await call.transport.silence(call.clock, 6000);
    expect(call.messages.at(-1)).toBe('AGENT: Hello?');
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });
});

describe('a response that speaks and then waits for a tool', () => {
  const waits = { say: 'Let me look.', call: [{ name: 'slow', arguments: {} }] };
  const stage = { tools: [httpTool('slow', { timeout: '20s' })] };

  it('announces the thinking state while it waits', async () => {
    const call = startToolCall({ stt: ['look'], llm: [waits, 'Here it is.'], stage }, { delayMs: 3000 });
    const states = () => call.transport.states.slice(-3);
    await call.saySomething(1800);
    expect(states()).toEqual(['thinking', 'speaking', 'thinking']);
    await call.transport.silence(call.clock, 1600);
    expect(states()).toEqual(['speaking', 'thinking', 'speaking']);
    await call.transport.silence(call.clock, 2000);
    expect(states()).toEqual(['thinking', 'speaking', 'listening']);
    expect(call.latencies).toHaveLength(1);
    await call.hangUp();
  });

  it('accepts "okay" as a turn while waiting', async () => {
    const call = startToolCall(
      { stt: ['look', 'okay'], llm: [waits, 'Just a moment.', 'Here it is.'], stage },
      { delayMs: 6000 },
    );
    await call.saySomething(1800);
    await call.saySomething(7000);
    expect(call.messages.slice(1)).toEqual([
      'AGENT: Let me look.',
      'TOOL_CALL: {}',
      'USER: okay',
      'AGENT: Just a moment.',
      'TOOL_RESULT: done',
      'AGENT: Here it is.',
    ]);
    await call.hangUp();
  });

  it('remains in the thinking state after a cough', async () => {
    const call = startToolCall(
      {
        stt: ['look', ''],
        llm: [{ say: 'Ok.', call: [{ name: 'slow', arguments: {} }] }, 'Here it is.'],
        stage: { tools: [httpTool('slow', { timeout: '20s' })] },
      },
      { delayMs: 5000 },
    );
    await call.saySomething(600);
    await call.transport.speak(call.clock, 700);
    await call.transport.silence(call.clock, 2000);
    expect(call.transport.states.at(-1)).toBe('thinking');
    await call.transport.silence(call.clock, 4000);
    expect(call.messages.at(-1)).toBe('AGENT: Here it is.');
    expect(call.transport.states.slice(-2)).toEqual(['speaking', 'listening']);
    await call.hangUp();
  });
});

describe('two new stages', () => {
  const newStage = { 'x-svc-response-type': 'new-stage' };
  const staged = (delayMs?: number): Call =>
    startToolCall(
      {
        stt: ['go', 'hello'],
        llm: [
          {
            call: [
              { name: 'one', arguments: {} },
              { name: 'two', arguments: {} },
            ],
          },
          'In the last.',
          'Still here.',
        ],
        spec: { maxDurationMs: 20_000 },
        stage: { tools: [httpTool('one'), httpTool('two')], timeExceededMessage: 'First says bye.' },
      },
      {
        ...(delayMs !== undefined && { delayMs }),
        answers: {
          '/one': { headers: newStage, body: '{"systemPrompt":"one"}' },
          '/two': { headers: newStage, body: '{"systemPrompt":"two"}' },
        },
        stage: ({ stageId, body }) =>
          stageSpec({
            stageId,
            systemPrompt: (body as { systemPrompt: string }).systemPrompt,
            timeExceededMessage: 'Second says bye.',
          }),
      },
    );

  it('start in order, and the time limit uses the message of the last', async () => {
    const call = staged();
    await call.saySomething(3000);
    expect(call.events.filter(({ type }) => type === 'stage_began')).toHaveLength(2);
    expect(call.llm.requests).toHaveLength(2);
    expect(call.llm.requests[1]?.messages[0]).toEqual({ role: 'system', content: 'two' });
    await call.saySomething(3000);
    const ordinals = call.transport.messages.flatMap(({ what }) =>
      what.type === 'transcript' && what.final ? [what.ordinal] : [],
    );
    expect(ordinals).toEqual(ordinals.map((_ordinal, index) => index));
    await call.transport.silence(call.clock, 14_000);
    expect(call.messages.at(-1)).toBe('AGENT: Second says bye.');
    expect(call.outcome?.reason).toBe('timeout');
    expectNothingLeft(call);
  });

  it('produce no events when the call ends while they are being resolved', async () => {
    const call = staged(1000);
    await call.saySomething(1010);
    await call.hangUp();
    const before = call.events.length;
    await call.clock.advance(5000);
    expect(call.events).toHaveLength(before);
    expectNothingLeft(call);
  });
});

describe('a stage whose model accepts audio', () => {
  it('sends text when the stage began while the user spoke', async () => {
    const requests: ModelRequest[] = [];
    const call = startToolCall(
      {
        stt: ['go', 'and hurry'],
        stage: { tools: [httpTool('transfer', { timeout: '10s' })] },
        services: {
          languageModel: {
            acceptsAudio: (model) => model === 'ears',
            async *respond(request) {
              requests.push(request);
              await delay(call.clock, 100);
              if (requests.length > 1) yield { type: 'text', text: 'Here.' };
              else yield { type: 'tool_call', call: { id: 'a', name: 'transfer', arguments: '{}' } };
            },
          },
        },
      },
      {
        delayMs: 1200,
        answers: {
          '/transfer': {
            headers: { 'x-svc-response-type': 'new-stage', 'x-svc-agent-reaction': 'listens' },
            body: '{"model":"ears"}',
          },
        },
        stage: ({ stageId }) => stageSpec({ stageId, model: 'ears' }),
      },
    );
    await call.saySomething(300);
    await call.transport.speak(call.clock, 1500);
    await call.transport.silence(call.clock, 3000);
    expect(requests.at(-1)).toMatchObject({ model: 'ears' });
    expect(requests.at(-1)?.messages.at(-1)).toEqual({ role: 'user', content: 'and hurry' });
    await call.hangUp();
  });
});

describe('initial messages', () => {
  const greet = agentSpeaksFirst(null);
  it.each([
    [
      'a tool result',
      [
        { role: 'MESSAGE_ROLE_TOOL_CALL', toolName: 'a', text: '{}', invocationId: 'x' },
        { role: 'MESSAGE_ROLE_TOOL_RESULT', text: 'r', invocationId: 'x' },
      ],
      'tool',
      true,
    ],
    ['a user message', [{ role: 'MESSAGE_ROLE_USER', text: 'well?' }], 'user', true],
    [
      'an agent message',
      [
        { role: 'MESSAGE_ROLE_USER', text: 'well?' },
        { role: 'MESSAGE_ROLE_AGENT', text: 'yes' },
      ],
      'user',
      true,
    ],
    [
      'an agent message, without a greeting prompt',
      [{ role: 'MESSAGE_ROLE_AGENT', text: 'yes' }],
      'assistant',
      false,
    ],
    [
      'a result without a tool call',
      [
        { role: 'MESSAGE_ROLE_AGENT', text: 'yes' },
        { role: 'MESSAGE_ROLE_TOOL_RESULT', text: 'r', invocationId: 'y' },
      ],
      'user',
      true,
    ],
  ] as const)(
    'determine the last message of the first model request when they end with %s',
    async (_what, initialMessages, role, greetingPromptEnabled) => {
      const call = startToolCall({
        stage: { initialMessages: [...initialMessages] },
        spec: { firstSpeaker: greet, greetingPromptEnabled },
      });
      await call.transport.silence(call.clock, 2000);
      expect(lastMessage(call)?.role).toBe(role);
      await call.hangUp();
    },
  );
});
