import { describe, expect, it } from '@jest/globals';
import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { DataConnectionListener, DataConnections } from '@calls/conversation/ports/data-connection';
import { stageSpec } from '@calls/testkit/call-spec';
import { expectNothingLeft, startCall, startToolCall, type Scripts } from '../support/scripted-call.ts';
import { clientTool, httpTool, scriptedToolServer, type ToolScripts } from '../support/scripted-tools.ts';

const state = {
  location: 'PARAMETER_LOCATION_BODY',
  name: 'state',
  knownValue: 'KNOWN_PARAM_CALL_STATE',
} as const;
const newStage = { 'x-svc-response-type': 'new-stage' };
const transfer = { say: 'I put you through.', call: [{ name: 'transfer', arguments: {} }] };

function startStaged(scripts: Scripts, world: ToolScripts = {}) {
  return startCall({
    ...scripts,
    stage: {
      initialState: { from: 'first' },
      keyTerms: ['Ada'],
      ...scripts.stage,
      tools: [httpTool('transfer')],
    },
    tools: (clock) =>
      scriptedToolServer(clock, {
        stage: ({ stageId }) =>
          stageSpec({
            stageId,
            systemPrompt: 'You sell.',
            voice: { engine: 'second', settings: {} },
            initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: 'Another beginning.' }],
            inactivityMessages: [{ delayMs: 3000, text: 'Are you there?', hangUp: 'never' }],
            tools: [httpTool('sell', { automaticParameters: [state] })],
            initialState: { from: 'second' },
            languageHint: 'de',
            keyTerms: ['Bob'],
          }),
        ...world,
      }),
  });
}

describe('a new stage', () => {
  it('has its own prompt, voice, tools and inactivity messages, and carries over history and state', async () => {
    const call = startStaged(
      {
        stt: ['I want to buy', 'yes'],
        llm: [transfer, 'Sales here.', { call: [{ name: 'sell', arguments: {} }] }, 'Sold.'],
      },
      {
        answers: {
          '/transfer': { headers: newStage, body: '{"systemPrompt":"You sell."}' },
        },
      },
    );
    await call.saySomething(3000);
    const [first, second] = call.llm.requests;
    expect(first?.messages[0]).toEqual({ role: 'system', content: 'Be kind.' });
    expect(second?.messages[0]).toEqual({ role: 'system', content: 'You sell.' });
    expect(second?.messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'I want to buy'],
      ['assistant', 'I put you through.'],
      ['tool', 'stage changed'],
    ]);
    expect(second?.tools?.map(({ name }) => name)).toEqual(['sell']);
    expect(call.tts.voices).toEqual(['main', 'second']);
    await call.saySomething(3000);
    expect(call.stt.options).toEqual([
      { languageHint: null, keyTerms: ['Ada'] },
      { languageHint: 'de', keyTerms: ['Bob'] },
    ]);
    expect(JSON.parse(call.world.requests[1]?.body ?? '')).toEqual({ state: { from: 'first' } });

    const [request] = call.world.stageRequests;
    expect(request).toMatchObject({
      callId: call.spec.callId,
      currentStageId: call.spec.firstStage.stageId,
      body: { systemPrompt: 'You sell.' },
    });
    const began = call.events.find(({ type }) => type === 'stage_began');
    const callState = { from: 'first' };
    expect(began).toEqual({ type: 'stage_began', stageId: request?.stageId, messageCount: 4, callState });
    expect(call.events).toContainEqual(
      expect.objectContaining({
        type: 'noted',
        eventType: 'stage_began',
        stageId: request?.stageId,
        extras: { stageId: request?.stageId, toolName: 'transfer' },
      }),
    );
    const inStages = call.entries.map(
      ({ callStageId, callStageMessageIndex, role }) =>
        `${callStageId === request?.stageId ? 2 : 1}.${callStageMessageIndex ?? ''} ${role?.slice(13) ?? ''}`,
    );
    expect(inStages).toEqual([
      '1.0 USER',
      '1.1 AGENT',
      '1.2 TOOL_CALL',
      '1.3 TOOL_RESULT',
      '2.0 USER',
      '2.1 AGENT',
      '2.2 TOOL_CALL',
      '2.3 TOOL_RESULT',
      '2.4 AGENT',
      '2.5 USER',
      '2.6 TOOL_CALL',
      '2.7 TOOL_RESULT',
      '2.8 AGENT',
    ]);
    // The transcript continues without a repetition.
    expect(call.transport.transcript).toHaveLength(5);
    await call.transport.silence(call.clock, 4000);
    expect(call.messages.at(-1)).toBe('AGENT: Are you there?');
    await call.hangUp();
  });

  it("starts with the messages and state in the tool's result", async () => {
    const call = startStaged(
      { stt: ['I want to buy'], llm: [transfer, { call: [{ name: 'sell', arguments: {} }] }, 'Sold.'] },
      {
        answers: {
          '/transfer': { headers: newStage, body: '{"initialMessages":[],"initialState":{}}' },
        },
      },
    );
    await call.saySomething(4000);
    expect(call.llm.requests[1]?.messages).toEqual([
      { role: 'system', content: 'You sell.' },
      { role: 'user', content: 'Another beginning.' },
    ]);
    expect(JSON.parse(call.world.requests[1]?.body ?? '')).toEqual({ state: { from: 'second' } });
    expect(call.events).toContainEqual(expect.objectContaining({ type: 'stage_began', messageCount: 1 }));
    await call.hangUp();
  });

  it('ignores a state update from a late tool of the previous stage', async () => {
    const both = {
      call: [
        { name: 'show', arguments: {} },
        { name: 'transfer', arguments: {} },
      ],
    };
    const call = startToolCall(
      {
        stt: ['I want to buy'],
        llm: [both, 'Sales here.'],
        stage: { tools: [clientTool('show', { timeout: '10s' }), httpTool('transfer')] },
      },
      {
        answers: { '/transfer': { headers: newStage, body: '{"initialState":{"own":true}}' } },
        stage: ({ stageId }) => stageSpec({ stageId, initialState: { own: true } }),
      },
    );
    await call.saySomething(3000);
    const asked = call.transport.messages.find(({ what }) => what.type === 'client_tool_invocation')?.what;
    const invocationId = asked?.type === 'client_tool_invocation' ? asked.invocationId : '';
    const updateCallState = { late: true };
    call.transport.say({ type: 'client_tool_result', invocationId, result: 'shown', updateCallState });
    await call.transport.silence(call.clock, 1000);
    expect(call.noted('call_state_outdated')).toHaveLength(1);
    await call.loseConnection();
    expect(call.suspended?.snapshot.state).toEqual({ own: true });
  });

  it('with other messages does not respond to a late result of a tool that is not in them', async () => {
    const slow = { say: 'One moment.', call: [{ name: 'show', arguments: {} }] };
    const call = startToolCall(
      {
        stt: ['show me', 'I want to buy'],
        llm: [slow, transfer, 'Sales here.', 'Pardon?'],
        stage: { tools: [clientTool('show', { timeout: '20s' }), httpTool('transfer')] },
      },
      {
        answers: { '/transfer': { headers: newStage, body: '{"initialMessages":[]}' } },
        stage: ({ stageId }) => stageSpec({ stageId }),
      },
    );
    await call.saySomething(2000);
    await call.saySomething(4000);
    const asked = call.transport.messages.find(({ what }) => what.type === 'client_tool_invocation')?.what;
    const invocationId = asked?.type === 'client_tool_invocation' ? asked.invocationId : '';
    call.transport.say({ type: 'client_tool_result', invocationId, result: 'shown' });
    await call.transport.silence(call.clock, 3000);
    expect(call.messages.slice(-2)).toEqual(['AGENT: Sales here.', 'TOOL_RESULT: shown']);
    expect(call.llm.requests).toHaveLength(3);
    await call.hangUp();
  });

  it('accepts null for unset fields and snake_case names', async () => {
    const body = '{"initial_messages": null, "system_prompt": "You sell.", "initialState": {"a_key": null}}';
    const call = startStaged(
      { stt: ['I want to buy'], llm: [transfer, 'Sold.'] },
      { answers: { '/transfer': { headers: newStage, body } } },
    );
    await call.saySomething(4000);
    const [request] = call.world.stageRequests;
    expect(request?.body).toEqual({ systemPrompt: 'You sell.', initialState: { a_key: null } });
    const history = call.llm.requests[1]?.messages.map(({ role }) => role);
    expect(history).toEqual(['system', 'user', 'assistant', 'tool']);
    await call.hangUp();
  });

  it('is rejected when invalid, and the call stays in its stage', async () => {
    for (const [body, problem] of [
      ['[]', 'the new stage must be a JSON object'],
      ['{"model":"no"}', 'model must be known'],
      [
        '{"systemPrompt":"a","system_prompt":"b"}',
        'systemPrompt of the new stage is given twice: as systemPrompt and as system_prompt',
      ],
    ] as const) {
      const call = startStaged(
        { stt: ['I want to buy'], llm: [transfer, 'That did not work.'] },
        {
          answers: { '/transfer': { headers: newStage, body } },
          stage: () => {
            throw new Error('model must be known');
          },
        },
      );
      await call.saySomething(4000);
      expect(call.messages.slice(-2)).toEqual([
        `TOOL_RESULT: Error: ${problem}`,
        'AGENT: That did not work.',
      ]);
      expect(call.llm.requests[1]?.messages[0]).toEqual({ role: 'system', content: 'Be kind.' });
      await call.hangUp();
    }
  });

  it('starts even if the user interrupts the preceding response', async () => {
    const call = startStaged(
      {
        stt: ['I want to buy', 'hurry up'],
        llm: [
          { ...transfer, say: 'I put you through to a colleague who knows all about that.' },
          'Sales here, I hurry.',
        ],
      },
      {
        answers: { '/transfer': { headers: { ...newStage, 'x-svc-agent-reaction': 'listens' }, body: '{}' } },
      },
    );
    await call.saySomething(1500);
    expect(call.world.stageRequests).toHaveLength(1);
    await call.saySomething(3000);
    expect(call.llm.requests[1]?.messages[0]).toEqual({ role: 'system', content: 'You sell.' });
    expect(call.messages.at(-1)).toBe('AGENT: Sales here, I hurry.');
    await call.hangUp();
  });

  it('does not prevent a later hang-up by another tool of the round', async () => {
    const calls = [...transfer.call, { name: 'leave', arguments: {} }];
    const call = startCall({
      stt: ['I want to buy'],
      llm: [{ ...transfer, call: calls }, 'Never said.'],
      stage: { tools: [httpTool('transfer'), clientTool('leave')] },
      tools: (clock) =>
        scriptedToolServer(clock, {
          answers: { '/transfer': { headers: newStage, body: '{}' } },
          stage: ({ stageId }) => stageSpec({ stageId }),
        }),
    });
    await call.saySomething(1000);
    expect(call.events.map(({ type }) => type)).toContain('stage_began');
    const asked = call.transport.messages.find(({ what }) => what.type === 'client_tool_invocation')?.what;
    const invocationId = asked?.type === 'client_tool_invocation' ? asked.invocationId : '';
    call.transport.say({ type: 'client_tool_result', invocationId, result: '', responseType: 'hang-up' });
    await call.transport.silence(call.clock, 4000);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expect(call.messages).not.toContain('AGENT: Never said.');
    expectNothingLeft(call);
  });

  it('is also accepted as the result of a client tool', async () => {
    const call = startCall({
      stt: ['a'],
      llm: [{ call: [{ name: 'go', arguments: {} }] }, 'Here.'],
      stage: { tools: [clientTool('go')] },
      tools: (clock) =>
        scriptedToolServer(clock, { stage: ({ stageId }) => stageSpec({ stageId, systemPrompt: 'New.' }) }),
    });
    await call.saySomething(300);
    const [{ invocationId = '' } = {}] = call.entries.slice(-1);
    call.transport.say({
      type: 'client_tool_result',
      invocationId,
      responseType: 'new-stage',
      result: '{"systemPrompt":"New."}',
    });
    await call.transport.silence(call.clock, 2000);
    expect(call.llm.requests[1]?.messages[0]).toEqual({ role: 'system', content: 'New.' });
    await call.hangUp();
  });
});

/** The owner's server of a data connection, in this process. */
class ScriptedDataConnection implements DataConnections {
  readonly sent: ServerMessage[] = [];
  #listener: DataConnectionListener | null = null;

  open: DataConnections['open'] = (_call, listener) => {
    this.#listener = listener;
    return {
      send: (message) => void this.sent.push(message),
      writeAudio: null,
      close: () => Promise.resolve(),
    };
  };

  say(message: ClientMessage): void {
    this.#listener?.onMessage(message);
  }
}

const BODY = JSON.stringify({
  systemPrompt: 'SECRET prompt',
  selectedTools: [{ toolName: 'sell', authTokens: { key: 'SECRET token' } }],
  externalVoice: { generic: { url: 'https://voice.test/', headers: { authorization: 'SECRET header' } } },
});
const history = {
  location: 'PARAMETER_LOCATION_BODY',
  name: 'history',
  knownValue: 'KNOWN_PARAM_CONVERSATION_HISTORY',
} as const;

describe('the body of a new-stage result', () => {
  const invocations = {
    http: { sentBy: null, tool: httpTool('transfer') },
    client: { sentBy: 'client', tool: clientTool('transfer') },
    'data connection': {
      sentBy: 'data_connection',
      tool: { ...httpTool('transfer'), definition: { timeout: '2.5s', dataConnection: {} } },
    },
  } as const;
  const results = {
    'begins a stage': { failed: false, note: 'stage changed' },
    'is reported as failed': { failed: true, note: 'Error: ' },
  } as const;

  for (const [kind, { sentBy, tool }] of Object.entries(invocations)) {
    for (const [what, { failed, note }] of Object.entries(results)) {
      it(`of ${kind === 'http' ? 'an' : 'a'} ${kind} tool is not shown, stored or sent to models when it ${what}`, async () => {
        const connection = new ScriptedDataConnection();
        const call = startCall({
          stt: ['I want to buy'],
          llm: [{ call: transfer.call }, { call: [{ name: 'recall', arguments: {} }] }, 'Done.'],
          stage: { tools: [tool, httpTool('recall', { automaticParameters: [history] })] },
          spec: { dataConnection: { url: 'wss://owner.test', headers: {}, dataMessages: {}, audio: null } },
          services: { dataConnections: connection },
          tools: (clock) =>
            scriptedToolServer(clock, {
              answers: {
                '/transfer': { status: failed ? 500 : 200, headers: newStage, body: BODY },
              },
              stage: ({ stageId }) =>
                stageSpec({ stageId, tools: [httpTool('recall', { automaticParameters: [history] })] }),
            }),
        });
        await call.saySomething(300);
        const asked = call.entries.find(({ role }) => role === 'MESSAGE_ROLE_TOOL_CALL');
        const { invocationId = '' } = asked ?? {};
        const result = {
          invocationId,
          responseType: 'new-stage',
          result: BODY,
          ...(failed && { errorType: 'implementation-error' as const }),
        } as const;
        if (sentBy === 'client') call.transport.say({ type: 'client_tool_result', ...result });
        else if (sentBy) connection.say({ type: 'data_connection_tool_result', ...result });
        await call.transport.silence(call.clock, 4000);
        const stored = call.entries.filter(({ role }) => role === 'MESSAGE_ROLE_TOOL_RESULT');
        expect(stored.length).toBeGreaterThanOrEqual(2);
        expect(stored[0]?.text).toContain(note);
        expect(call.world.requests.at(-1)?.body).toContain(note);
        const seen = [
          call.events,
          call.transport.messages,
          connection.sent,
          call.llm.requests,
          call.world.requests,
        ];
        expect(JSON.stringify(seen)).not.toContain('SECRET');
        await call.hangUp();
      });
    }
  }
});
