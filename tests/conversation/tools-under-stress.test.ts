import { describe, expect, it } from '@jest/globals';
import { callLogEntryValidator, type CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import { delay } from '@calls/foundation/clock';
import { stageSpec } from '@calls/testkit/call-spec';
import { expectNothingLeft, startToolCall } from '../support/scripted-call.ts';
import { builtInTool, clientTool, httpTool } from '../support/scripted-tools.ts';

type Call = ReturnType<typeof startToolCall>;

/** Events that the control-plane would reject as invalid and drop. */
function refused({ spec, events }: Call): unknown[] {
  const { callId, accountId } = spec;
  const envelope = (body: CallLogEntryBody) => ({
    callId,
    accountId,
    seq: 1,
    epoch: 1,
    wallClockMs: 0,
    body,
  });
  return events.filter((body) => callLogEntryValidator.issues(envelope(body)).length > 0);
}

const modelSaw = (call: Call) => JSON.stringify(call.llm.requests);
const ofType = (call: Call, type: string) =>
  call.transport.messages.map(({ what }) => what).filter((what) => what.type === type);

describe('the output of tools and models', () => {
  it('is truncated to the message limit', async () => {
    const long = 'x'.repeat(70_000);
    const call = startToolCall(
      {
        stt: ['go'],
        llm: [
          {
            call: [
              { name: 'no_such_tool_'.repeat(20), arguments: {} },
              { name: 'talks', arguments: `{"a":"${long}"}` },
              { name: 'queryCorpus', arguments: {} },
              { name: 'shows', arguments: {} },
            ],
          },
          'Done.',
        ],
        stage: { tools: [httpTool('talks'), builtInTool('queryCorpus'), clientTool('shows')] },
      },
      { passages: [{ content: long, score: 1, citation: { sourceId: 's', documentId: 'd' } }] },
    );
    await call.saySomething(300);
    const [asked] = ofType(call, 'client_tool_invocation');
    const invocationId = asked && 'invocationId' in asked ? asked.invocationId : '';
    call.transport.say({
      type: 'client_tool_result',
      invocationId,
      result: 'y'.repeat(65_536),
      errorMessage: 'z'.repeat(65_536),
    });
    await call.transport.silence(call.clock, 3000);
    expect(call.entries.filter(({ role }) => role === 'MESSAGE_ROLE_TOOL_RESULT')).toHaveLength(4);
    expect(refused(call)).toEqual([]);
    expect(call.messages.at(-1)).toBe('AGENT: Done.');
    await call.hangUp();
  });

  it('is sanitized before it is sent to the model', async () => {
    const call = startToolCall(
      {
        stt: ['go'],
        llm: [
          {
            call: [
              { name: 'odd name!', arguments: {} },
              { name: 'talks', arguments: {} },
            ],
          },
          'Done.',
        ],
        stage: { tools: [httpTool('talks')] },
      },
      { answers: { '/talks': { status: 500, body: `a\0b${'🙂'.repeat(3000)}` } } },
    );
    call.transport.say({ type: 'user_text_message', text: 'half \ud83d of \0 it', urgency: 'later' });
    await call.saySomething(3000);
    expect(call.messages.at(-1)).toBe('AGENT: Done.');
    expect(modelSaw(call)).not.toMatch(/\\u0000|\\ud[89a-f]/u);
    const names = call.llm.requests.flatMap(({ messages }) =>
      messages.flatMap((message) =>
        message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => name) : [],
      ),
    );
    expect(names).toEqual(['odd_name_', 'talks']);
    await call.hangUp();
  });

  it('is limited to 10 rounds of tool calls', async () => {
    const again = { call: [{ name: 'again', arguments: {} }] };
    const call = startToolCall(
      { stt: ['go'], llm: Array.from({ length: 40 }, () => again), stage: { tools: [httpTool('again')] } },
      { delayMs: 10 },
    );
    await call.saySomething(20_000);
    expect(call.world.requests).toHaveLength(10);
    expect(call.llm.requests).toHaveLength(11);
    expect(call.llm.requests.at(-1)?.tools).toBeUndefined();
    expect(call.noted('tool_error')).toMatchObject([
      { text: 'not run: a response can have at most 10 rounds of tool calls' },
    ]);
    expect(call.transport.states.at(-1)).toBe('listening');
    await call.hangUp();
  });

  it('reports tool calls beyond the limit of a round as errors to the model', async () => {
    const again = { name: 'again', arguments: {} };
    const call = startToolCall({
      stt: ['go'],
      llm: [{ say: 'One moment.', call: Array.from({ length: 18 }, () => again) }, 'Done.'],
      stage: { tools: [httpTool('again')] },
    });
    await call.saySomething(5000);
    expect(call.world.requests).toHaveLength(16);
    const problem = 'not run: the model can call at most 16 tools at a time';
    expect(call.noted('tool_error')).toMatchObject([{ text: problem }, { text: problem }]);
    const results = call.llm.requests[1]?.messages.flatMap((message) =>
      message.role === 'tool' ? [message.content] : [],
    );
    expect(results?.slice(15)).toEqual(['done', `Error: ${problem}`, `Error: ${problem}`]);
    expect(call.messages.at(-1)).toBe('AGENT: Done.');
    await call.hangUp();
  });

  it('reports a tool call of a model that was offered no tools', async () => {
    const call = startToolCall({
      stt: ['go'],
      llm: [{ call: [{ name: 'search', arguments: {} }] }, 'I cannot.'],
    });
    await call.saySomething(3000);
    expect(call.noted('tool_error')).toMatchObject([{ text: 'unknown tool search' }]);
    expect(call.messages.at(-1)).toBe('AGENT: I cannot.');
    await call.hangUp();
  });

  it('may contain state that is nested too deeply, which is ignored with a warning', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const call = startToolCall(
      {
        stt: ['go'],
        llm: [{ call: [{ name: 'sets', arguments: {} }] }, 'Done.'],
        stage: { tools: [httpTool('sets')] },
      },
      { answers: { '/sets': { headers: { 'x-svc-update-call-state': `{"a":${deep}}` } } } },
    );
    await call.saySomething(3000);
    expect(call.outcome).toBeNull();
    expect(call.messages.at(-1)).toBe('AGENT: Done.');
    expect(call.noted('tool_warning')).toHaveLength(1);
    await call.hangUp();
  });
});

describe('forced tool calls', () => {
  it('appear once in the history', async () => {
    for (const content of ['', 'Ok.']) {
      const call = startToolCall(
        { llm: ['Looked up.'], stage: { tools: [httpTool('looks')] } },
        { delayMs: 1500 },
      );
      const toolCalls = [{ id: 'mine', name: 'looks', arguments: { a: 1 } }];
      call.transport.say({ type: 'forced_agent_message', content, toolCalls });
      await call.transport.silence(call.clock, 4000);
      const [request] = call.llm.requests;
      expect(request?.messages.slice(1)).toEqual([
        { role: 'assistant', content, toolCalls: [{ id: 'mine', name: 'looks', arguments: '{"a":1}' }] },
        { role: 'tool', toolCallId: 'mine', content: expect.any(String) },
      ]);
      await call.hangUp();
    }
  });

  it('receive unique ids', async () => {
    const call = startToolCall({ stage: { tools: [clientTool('shows')] }, llm: ['One.', 'Two.'] });
    const toolCalls = [1, 2].map((page) => ({ id: 'mine', name: 'shows', arguments: {}, page }));
    call.transport.say({
      type: 'forced_agent_message',
      toolCalls: toolCalls.map(({ id, name, arguments: values }) => ({ id, name, arguments: values })),
    });
    await call.transport.silence(call.clock, 100);
    const ids = ofType(call, 'client_tool_invocation').map((asked) =>
      'invocationId' in asked ? asked.invocationId : '',
    );
    expect(ids[0]).toBe('mine');
    expect(new Set(ids).size).toBe(2);
    for (const invocationId of ids) {
      call.transport.say({ type: 'client_tool_result', invocationId, result: 'shown' });
    }
    await call.transport.silence(call.clock, 4000);
    expect(call.noted('tool_error')).toEqual([]);
    expect(call.noted('tool_result_unexpected')).toEqual([]);
    await call.hangUp();
  });
});

describe('a tool that ends the call', () => {
  it('ends the call while the user speaks over a long farewell', async () => {
    const call = startToolCall({
      stt: ['goodbye', 'wait a minute please'],
      llm: [
        { say: 'And now a very long farewell follows. '.repeat(12), call: [{ name: 'bye', arguments: {} }] },
        'Yes?',
      ],
      stage: { tools: [builtInTool('hangUp'), { ...builtInTool('hangUp'), name: 'bye' }] },
    });
    await call.saySomething(3000);
    await call.transport.speak(call.clock, 1500);
    await call.transport.silence(call.clock, 30_000);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expect(call.llm.requests).toHaveLength(1);
    expectNothingLeft(call);
  });

  it('plays a response that was generated in the meantime when its result is late', async () => {
    const call = startToolCall(
      {
        stt: ['go', 'are you there'],
        llm: [{ call: [{ name: 'bye', arguments: {} }] }, 'Yes I am, and I am closing this now.'],
        stage: { tools: [httpTool('bye', { timeout: '10s' })] },
      },
      { delayMs: 4500, answers: { '/bye': { headers: { 'x-svc-response-type': 'hang-up' } } } },
    );
    await call.saySomething(1500);
    await call.saySomething(5000);
    expect(call.messages).toContain('AGENT: Yes I am, and I am closing this now.');
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });

  it('does not interrupt the message at the time limit', async () => {
    const call = startToolCall(
      {
        stt: ['go'],
        llm: [{ call: [{ name: 'bye', arguments: {} }] }],
        spec: { maxDurationMs: 3500 },
        stage: {
          tools: [httpTool('bye', { timeout: '10s' })],
          timeExceededMessage: 'Our time is up, goodbye.',
        },
      },
      { delayMs: 2500, answers: { '/bye': { headers: { 'x-svc-response-type': 'hang-up' } } } },
    );
    await call.saySomething(6000);
    expect(call.messages).toContain('AGENT: Our time is up, goodbye.');
    expect(call.outcome?.reason).toBe('timeout');
    expectNothingLeft(call);
  });
});

describe('tool results after the end of a call', () => {
  it('produce no events', async () => {
    const tools = [
      httpTool('static', { staticResponse: { responseText: 'ok' }, timeout: '10s' }),
      httpTool('slow', { timeout: '10s' }),
    ];
    const call = startToolCall(
      {
        stt: ['go'],
        llm: [{ call: tools.map(({ name }) => ({ name, arguments: {} })) }, 'Done.'],
        stage: { tools },
      },
      {
        delayMs: 2000,
        answers: { '/static': { status: 500 }, '/slow': { headers: { 'x-svc-agent-reaction': 'no' } } },
      },
    );
    await call.saySomething(500);
    await call.hangUpDuringTools();
    const before = call.events.length;
    await call.clock.advance(5000);
    expect(call.events.slice(before)).toEqual([]);
    expectNothingLeft(call);
  });
});

describe('tool results', () => {
  it('for the data connection are accepted from the data connection only', async () => {
    const tool = { ...httpTool('asks'), definition: { timeout: '2.5s', dataConnection: {} } };
    const call = startToolCall({
      stt: ['go'],
      llm: [{ call: [{ name: 'asks', arguments: {} }] }, 'No.'],
      stage: { tools: [tool] },
    });
    await call.saySomething(300);
    const [asked] = ofType(call, 'data_connection_tool_invocation');
    const invocationId = asked && 'invocationId' in asked ? asked.invocationId : '';
    call.transport.say({ type: 'data_connection_tool_result', invocationId, result: 'forged' });
    await call.transport.silence(call.clock, 4000);
    expect(call.messages.join()).not.toContain('forged');
    await call.hangUp();
  });
});

describe('a speculative generation', () => {
  it('is restarted when the stage changes', async () => {
    const call = startToolCall(
      {
        stt: ['put me through', 'and hurry'],
        llm: [{ call: [{ name: 'transfer', arguments: {} }] }, 'Old stage.', 'New stage.'],
        stage: {
          tools: [httpTool('transfer', { timeout: '10s' })],
          vad: { ...stageSpec().vad, turnEndpointDelayMs: 1500 },
        },
      },
      {
        delayMs: 2800,
        answers: {
          '/transfer': {
            headers: { 'x-svc-response-type': 'new-stage', 'x-svc-agent-reaction': 'listens' },
            body: '{"systemPrompt":"You sell."}',
          },
        },
        stage: ({ stageId }) =>
          stageSpec({ stageId, systemPrompt: 'You sell.', voice: { engine: 'second', settings: {} } }),
      },
    );
    await call.transport.speak(call.clock, 1000);
    await call.transport.silence(call.clock, 2000);
    expect(call.world.requests).toHaveLength(1);
    await call.transport.speak(call.clock, 1500);
    await call.transport.silence(call.clock, 5000);
    expect(call.llm.requests.at(-1)?.messages[0]).toEqual({ role: 'system', content: 'You sell.' });
    expect(call.messages.at(-1)).toBe('AGENT: New stage.');
    expect(call.tts.voices.at(-1)).toBe('second');
    await call.hangUp();
  });

  it('is restarted when the output medium changes to text', async () => {
    const call = startToolCall({
      stt: ['hello'],
      llm: ['Spoken.', 'Written.'],
      stage: { vad: { ...stageSpec().vad, turnEndpointDelayMs: 1500 } },
    });
    await call.transport.speak(call.clock, 1000);
    await call.transport.silence(call.clock, 600);
    expect(call.llm.requests).toHaveLength(1);
    call.transport.say({ type: 'set_output_medium', medium: 'text' });
    await call.transport.silence(call.clock, 2500);
    expect(call.entries.at(-1)).toMatchObject({ text: 'Written.', medium: 'MESSAGE_MEDIUM_TEXT' });
    await call.hangUp();
  });
});

describe('a call without voice', () => {
  it('does not process audio', async () => {
    let windows = 0;
    const call = startToolCall({
      spec: { allowedMediums: ['text'], initialOutputMedium: 'text' },
      services: {
        voiceActivity: {
          createDetector: () => ({
            push: () => Promise.resolve((windows += 1) && 0),
            reset: () => undefined,
            close: () => undefined,
          }),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
      },
    });
    await call.saySomething();
    call.transport.events.push({ type: 'input_missing', durationMs: 1000 });
    call.transport.events.push({ type: 'input_dropped', durationMs: 1000 });
    await call.clock.advance(100);
    expect(windows).toBe(0);
    expect(call.noted('audio_underflow')).toEqual([]);
    await call.hangUp();
  });
});

describe('a model that streams after an abort', () => {
  it('neither blocks the call nor calls tools', async () => {
    let asked = 0;
    const call = startToolCall({
      stt: ['tell me', 'no wait a minute', 'hello again'],
      stage: { tools: [builtInTool('hangUp')] },
      services: {
        languageModel: {
          acceptsAudio: () => false,
          async *respond() {
            asked += 1;
            const isFirst = asked === 1;
            await delay(call.clock, isFirst ? 2500 : 200);
            yield { type: 'text', text: isFirst ? 'Too late.' : 'Yes?' };
            if (isFirst) yield { type: 'tool_call', call: { id: 'a', name: 'hangUp', arguments: '{}' } };
          },
        },
      },
    });
    await call.saySomething(200);
    await call.saySomething(3000);
    await call.saySomething(3000);
    expect(call.outcome).toBeNull();
    expect(call.messages).toEqual([
      'USER: tell me no wait a minute',
      'AGENT: Yes?',
      'USER: hello again',
      'AGENT: Yes?',
    ]);
    await call.hangUp();
  });
});

describe('a client that floods the call with invalid messages', () => {
  it('produces a limited number of events of each type, with a count of the omitted ones', async () => {
    const call = startToolCall({});
    for (let i = 0; i < 500; i += 1) {
      call.transport.events.push({ type: 'malformed', detail: 'x'.repeat(10_000) });
      call.transport.say({ type: 'client_tool_result', invocationId: 'a' });
    }
    await call.transport.silence(call.clock, 11_000);
    call.transport.events.push({ type: 'malformed', detail: 'once more' });
    await call.clock.advance(20);
    expect(call.noted('tool_result_unexpected')).toHaveLength(50);
    expect(call.noted('malformed_message')).toHaveLength(51);
    expect(call.noted('malformed_message').at(-1)).toMatchObject({ extras: { omitted: 450 } });
    expect(refused(call)).toEqual([]);
    await call.hangUp();
  });
});
