import { describe, expect, it } from '@jest/globals';
import { AppError } from '@calls/foundation/errors';
import { stageSpec } from '@calls/testkit/call-spec';
import { expectNothingLeft, startCall, startToolCall } from '../support/scripted-call.ts';
import { builtInTool, clientTool, httpTool, scriptedToolServer } from '../support/scripted-tools.ts';

const body = { location: 'PARAMETER_LOCATION_BODY' } as const;

const typesOf = (call: ReturnType<typeof startToolCall>, ...types: string[]) =>
  call.transport.messages.map(({ what }) => what).filter(({ type }) => types.includes(type));

describe('a tool call', () => {
  const city = {
    ...httpTool('weather', {
      dynamicParameters: [{ ...body, name: 'city', schema: { type: 'string' }, required: true }],
      staticParameters: [{ ...body, name: 'unit', value: 'C' }],
      automaticParameters: [{ ...body, name: 'call', knownValue: 'KNOWN_PARAM_CALL_ID' }],
    }),
    auth: { headers: { 'X-Key': 'k' }, queryParams: {} },
  };

  it('runs while the preceding words play, and leads to a response', async () => {
    const call = startToolCall(
      {
        stt: ['weather in Rome'],
        llm: [
          { say: 'Let me look.', call: [{ name: 'weather', arguments: { city: 'Rome' } }] },
          'It is sunny.',
        ],
        stage: { tools: [city] },
        spec: { sharedSecrets: ['a shared secret of theirs'] },
      },
      { answers: { '/weather': { body: '{"sky":"clear"}' } } },
    );
    await call.saySomething(3000);
    expect(call.messages).toEqual([
      'USER: weather in Rome',
      'AGENT: Let me look.',
      'TOOL_CALL: {"city":"Rome"}',
      'TOOL_RESULT: {"sky":"clear"}',
      'AGENT: It is sunny.',
    ]);
    expect(call.transport.transcript).toEqual([
      'user: weather in Rome',
      'agent: Let me look.',
      'agent: It is sunny.',
    ]);
    const [request] = call.world.requests;
    expect(JSON.parse(request?.body ?? '')).toEqual({ city: 'Rome', unit: 'C', call: call.spec.callId });
    expect(request?.headers).toMatchObject({
      'X-Key': 'k',
      'X-Svc-Call-ID': call.spec.callId,
      'X-Svc-Signature': 'a shared secret of theirs',
    });
    const [first, second] = call.llm.requests;
    expect(first?.tools).toEqual([
      {
        name: 'weather',
        description: 'does weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ]);
    const invocationId = call.entries[2]?.invocationId ?? '';
    expect(second?.messages.slice(-3)).toEqual([
      { role: 'user', content: 'weather in Rome' },
      {
        role: 'assistant',
        content: 'Let me look.',
        toolCalls: [{ id: invocationId, name: 'weather', arguments: '{"city":"Rome"}' }],
      },
      { role: 'tool', toolCallId: invocationId, content: '{"sky":"clear"}' },
    ]);
    expect(call.entries.slice(2, 4)).toMatchObject([{ toolName: 'weather' }, { invocationId }]);
    expect(typesOf(call, 'invoking_tool', 'tool_used')).toMatchObject([
      { type: 'invoking_tool', toolName: 'weather', parameters: { city: 'Rome' } },
      { type: 'tool_used', invocationId, result: '{"sky":"clear"}', durationMs: 200 },
    ]);
    // It is one turn of the agent, which does not listen in between.
    expect(call.transport.states.filter((state) => state === 'listening')).toHaveLength(2);
    await call.hangUp();
  });

  it('reports invalid arguments to the model, which may retry', async () => {
    const call = startToolCall({
      stt: ['weather'],
      llm: [
        { call: [{ name: 'weather', arguments: { city: 7 } }] },
        { call: [{ name: 'weather', arguments: 'not json' }] },
        { call: [{ name: 'weathr', arguments: {} }] },
        'I give up.',
      ],
      stage: { tools: [city] },
    });
    await call.saySomething(3000);
    const results = call.messages.filter((message) => message.startsWith('TOOL_RESULT'));
    expect(results).toEqual([
      'TOOL_RESULT: Error: invalid arguments: city must be a string',
      'TOOL_RESULT: Error: the arguments must be a JSON object',
      'TOOL_RESULT: Error: unknown tool weathr',
    ]);
    expect(call.entries.filter(({ errorDetails }) => errorDetails)).toHaveLength(3);
    expect(call.world.requests).toEqual([]);
    expect(call.noted('tool_error')).toHaveLength(3);
    expect(call.messages.at(-1)).toBe('AGENT: I give up.');
    await call.hangUp();
  });

  it('reports an error to the model and records it', async () => {
    const call = startToolCall(
      {
        stt: ['go'],
        llm: [
          {
            call: [
              { name: 'down', arguments: {} },
              { name: 'refuses', arguments: {} },
            ],
          },
          'That did not work.',
        ],
        stage: { tools: [httpTool('down'), httpTool('refuses')] },
      },
      {
        answers: {
          '/down': new AppError('unreachable', 'no answer within 2.5 s', { retryable: false }),
          '/refuses': { status: 404, body: 'no such user' },
        },
      },
    );
    await call.saySomething(2000);
    expect(call.messages.slice(3, 5)).toEqual([
      'TOOL_RESULT: Error: no answer within 2.5 s',
      'TOOL_RESULT: Error: the tool responded with HTTP status 404: no such user',
    ]);
    expect(call.messages.at(-1)).toBe('AGENT: That did not work.');
    await call.hangUp();
  });

  it('determines the agent’s reaction by its default or a response header', async () => {
    const tools = [
      httpTool('note', { defaultReaction: 'AGENT_REACTION_LISTENS' }),
      httpTool('once', { defaultReaction: 'AGENT_REACTION_SPEAKS_ONCE' }),
      httpTool('loud', { defaultReaction: 'AGENT_REACTION_LISTENS' }),
    ];
    const call = startToolCall(
      {
        stt: ['a', 'b', 'c', 'd'],
        llm: [
          { say: 'Noted.', call: [{ name: 'note', arguments: {} }] },
          { say: 'One moment.', call: [{ name: 'once', arguments: {} }] },
          { call: [{ name: 'once', arguments: {} }] },
          'Here I speak.',
          { call: [{ name: 'loud', arguments: {} }] },
          'And here.',
        ],
        stage: { tools },
      },
      { answers: { '/loud': { headers: { 'x-svc-agent-reaction': 'speaks' } } } },
    );
    for (let turn = 0; turn < 4; turn += 1) {
      await call.saySomething(2500);
    }
    expect(call.messages.filter((message) => /^(?:USER|AGENT)/u.test(message))).toEqual([
      'USER: a',
      'AGENT: Noted.',
      'USER: b',
      'AGENT: One moment.',
      'USER: c',
      'AGENT: Here I speak.',
      'USER: d',
      'AGENT: And here.',
    ]);
    expect(call.transport.states.at(-1)).toBe('listening');
    await call.hangUp();
  });

  it('returns a static response immediately, even if the tool fails later', async () => {
    const tool = httpTool('slow', { staticResponse: { responseText: 'It is on its way.' } });
    const call = startToolCall(
      {
        stt: ['send it'],
        llm: [{ call: [{ name: 'slow', arguments: {} }] }, 'Sent.'],
        stage: { tools: [tool] },
      },
      { delayMs: 1500, answers: { '/slow': { status: 500 } } },
    );
    await call.saySomething(300);
    expect(call.messages.slice(-1)).toEqual(['TOOL_RESULT: It is on its way.']);
    await call.transport.silence(call.clock, 2500);
    expect(call.messages.at(-1)).toBe('AGENT: Sent.');
    expect(call.noted('tool_warning')).toHaveLength(1);
    await call.hangUp();
  });

  it('updates the call state for other tools', async () => {
    const seen = { ...body, name: 'state', knownValue: 'KNOWN_PARAM_CALL_STATE' } as const;
    const call = startToolCall(
      {
        stt: ['a'],
        llm: [
          { call: [{ name: 'set', arguments: {} }] },
          { call: [{ name: 'get', arguments: {} }] },
          'Done.',
        ],
        stage: {
          initialState: { step: 1, keep: true },
          tools: [httpTool('set'), httpTool('get', { automaticParameters: [seen] })],
        },
      },
      { answers: { '/set': { headers: { 'x-svc-update-call-state': '{"step":2,"keep":null,"new":[1]}' } } } },
    );
    await call.saySomething(3000);
    expect(JSON.parse(call.world.requests[1]?.body ?? '')).toEqual({ state: { step: 2, new: [1] } });
    const [set, get] = call.entries.filter(({ role }) => role === 'MESSAGE_ROLE_TOOL_RESULT');
    expect(set?.callState).toEqual({ step: 2, new: [1] });
    expect(get?.callState).toBeUndefined();
    await call.hangUp();
  });
});

describe('checks of tool arguments', () => {
  it.each([
    ['are prepared when a call with tools starts', [httpTool('book')], 1],
    ['are not prepared for a call without tools', [], 0],
  ])('%s', async (_title, tools, times) => {
    let prepared = 0;
    const prepareArgumentChecks = (): void => void (prepared += 1);
    const call = startCall({
      stage: { tools },
      tools: (clock) => ({ ...scriptedToolServer(clock, {}), prepareArgumentChecks }),
    });
    await call.hangUp();
    expect(prepared).toBe(times);
  });
});

describe('a client tool', () => {
  const ask = { call: [{ name: 'show', arguments: { page: 3 } }] };
  const tools = [clientTool('show', { dynamicParameters: [{ ...body, name: 'page' }] })];

  it('is invoked by message, and its error message is not sent to the model', async () => {
    const call = startToolCall({ stt: ['a', 'b'], llm: [ask, 'Shown.', ask, 'Sorry.'], stage: { tools } });
    await call.saySomething(300);
    const [invocation] = typesOf(call, 'client_tool_invocation');
    expect(invocation).toMatchObject({ toolName: 'show', parameters: { page: 3 } });
    const invocationId = invocation && 'invocationId' in invocation ? invocation.invocationId : '';
    const result = { type: 'client_tool_result', invocationId } as const;
    call.transport.say({ ...result, invocationId: 'unknown', result: 'no' });
    call.transport.say({ type: 'data_connection_tool_result', invocationId, result: 'no' });
    // An empty error message is none.
    const shown = { result: 'page 3 is shown', errorMessage: '', updateCallState: { page: 3 } };
    call.transport.say({ ...result, ...shown });
    await call.transport.silence(call.clock, 2000);
    expect(call.messages.slice(1)).toEqual([
      'TOOL_CALL: {"page":3}',
      'TOOL_RESULT: page 3 is shown',
      'AGENT: Shown.',
    ]);
    expect(call.noted('tool_result_unexpected')).toHaveLength(2);
    await call.saySomething(300);
    const second = typesOf(call, 'client_tool_invocation')[1];
    const secondId = second && 'invocationId' in second ? second.invocationId : '';
    expect(secondId).not.toBe(invocationId);
    const error = { errorType: 'implementation-error', errorMessage: 'stack trace' } as const;
    call.transport.say({ ...result, invocationId: secondId, ...error });
    await call.transport.silence(call.clock, 2000);
    expect(call.entries.at(-2)).toMatchObject({
      text: 'Error: the tool failed',
      errorDetails: 'stack trace',
    });
    expect(JSON.stringify(call.llm.requests)).not.toContain('stack trace');
    await call.hangUp();
  });

  it('counts as activity of the call until its result arrives, also after the user has interrupted', async () => {
    const llm = [{ say: 'One moment please.', ...ask }, 'Yes?'];
    const call = startToolCall({ stt: ['a', 'wait a second'], llm, stage: { tools } });
    expect(call.session.activity).toBe('none');
    const saying = call.saySomething();
    await call.clock.advance(300);
    expect(call.session.activity).toBe('conversation');
    await saying;
    await call.transport.silence(call.clock, 500);
    await call.saySomething();
    expect(call.session.activity).toBe('tool');
    const [invocation] = typesOf(call, 'client_tool_invocation');
    const invocationId = invocation && 'invocationId' in invocation ? invocation.invocationId : '';
    call.transport.say({ type: 'client_tool_result', invocationId, result: 'shown' });
    await call.clock.advance(1);
    expect(call.session.activity).toBe('conversation');
    await call.transport.silence(call.clock, 3000);
    expect(call.session.activity).toBe('none');
    await call.hangUp();
  });

  it('reports a timeout to the model', async () => {
    const call = startToolCall({ stt: ['a'], llm: [ask, 'It is broken.'], stage: { tools } });
    await call.saySomething(4500);
    expect(call.messages.slice(2)).toEqual([
      'AGENT: One moment, please.',
      'TOOL_RESULT: Error: the client did not respond within 2.5 s',
      'AGENT: It is broken.',
    ]);
    await call.hangUp();
  });

  it('is released when the call ends first', async () => {
    const call = startToolCall({ stt: ['a'], llm: [ask], stage: { tools } });
    await call.saySomething(300);
    await call.hangUp();
  });
});

describe('a speculative generation', () => {
  const tools = [httpTool('pays'), httpTool('looks', { precomputable: true })];

  it('does not run tools that are not precomputable', async () => {
    const call = startToolCall({
      stt: ['pay the bill'],
      llm: [
        { call: [{ name: 'pays', arguments: {} }] },
        { call: [{ name: 'pays', arguments: {} }] },
        'Paid.',
      ],
      stage: { tools, vad: { ...stageSpec().vad, turnEndpointDelayMs: 1000 } },
    });
    await call.transport.speak(call.clock, 600);
    await call.transport.silence(call.clock, 600);
    expect(call.llm.requests).toHaveLength(1);
    expect(call.world.requests).toHaveLength(0);
    await call.transport.speak(call.clock, 600);
    await call.transport.silence(call.clock, 4000);
    expect(call.world.requests).toHaveLength(1);
    expect(call.messages.filter((message) => message.startsWith('TOOL_CALL'))).toHaveLength(1);
    expect(call.messages.at(-1)).toBe('AGENT: Paid.');
    await call.hangUp();
  });

  it('runs a precomputable tool and uses its result', async () => {
    const call = startToolCall({
      stt: ['look'],
      llm: [{ call: [{ name: 'looks', arguments: {} }] }, 'Found.'],
      stage: { tools, vad: { ...stageSpec().vad, turnEndpointDelayMs: 1500 } },
    });
    await call.transport.speak(call.clock, 600);
    await call.transport.silence(call.clock, 1200);
    expect(call.world.requests).toHaveLength(1);
    expect(call.messages).toEqual([]);
    expect(typesOf(call, 'invoking_tool', 'tool_used')).toEqual([]);
    await call.transport.silence(call.clock, 3000);
    expect(call.messages).toEqual(['USER: look', 'TOOL_CALL: {}', 'TOOL_RESULT: done', 'AGENT: Found.']);
    expect(call.world.requests).toHaveLength(1);
    // Only the audio waited for the end of the turn.
    expect(call.latencies[0]).toBeLessThanOrEqual(1500 + 60);
    await call.hangUp();
  });

  it('aborts precomputable tools and records nothing when discarded', async () => {
    const call = startToolCall(
      {
        stt: ['look'],
        llm: [{ call: [{ name: 'looks', arguments: {} }] }, 'Fine.'],
        stage: { tools, vad: { ...stageSpec().vad, turnEndpointDelayMs: 1500 } },
      },
      { delayMs: 2000 },
    );
    await call.transport.speak(call.clock, 600);
    await call.transport.silence(call.clock, 600);
    expect(call.world.requests).toHaveLength(1);
    await call.transport.speak(call.clock, 600);
    await call.transport.silence(call.clock, 4000);
    expect(call.world.aborted).toBe(1);
    expect(call.messages).toEqual(['USER: look', 'AGENT: Fine.']);
    await call.hangUp();
  });
});

describe('a response interrupted while its tool runs', () => {
  it('records the result and responds when the floor is free', async () => {
    const call = startToolCall(
      {
        stt: ['look it up', 'are you there'],
        llm: [{ call: [{ name: 'slow', arguments: {} }] }, 'Yes, still looking.', 'Here it is.'],
        stage: { tools: [httpTool('slow', { timeout: '10s' })] },
      },
      { delayMs: 5000 },
    );
    await call.saySomething(1500);
    await call.saySomething(6000);
    expect(call.messages).toEqual([
      'USER: look it up are you there',
      'TOOL_CALL: {}',
      'AGENT: Yes, still looking.',
      'TOOL_RESULT: done',
      'AGENT: Here it is.',
    ]);
    const [, second, third] = call.llm.requests;
    const placeholder = second?.messages.find(({ role }) => role === 'tool');
    expect(placeholder?.content).toBe('The tool has not answered yet.');
    // The tool result is the last message: the model responds to it and does not greet the user.
    expect(third?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'done' });
    await call.hangUp();
  });
});

describe('a tool that hangs up', () => {
  it.each([
    ['an HTTP tool with response type hang-up', httpTool('bye'), {}],
    [
      'the built-in tool hangUp',
      builtInTool('hangUp', { staticParameters: [{ ...body, name: 'strict', value: true }] }),
      {},
    ],
  ])('ends the call after its message has played: %s', async (_how, tool) => {
    const call = startToolCall(
      {
        stt: ['goodbye'],
        llm: [{ say: 'Goodbye then.', call: [{ name: tool.name, arguments: {} }] }],
        stage: { tools: [tool] },
      },
      { answers: { '/bye': { headers: { 'x-svc-response-type': 'hang-up' } } } },
    );
    await call.saySomething(3000);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expect(call.messages).toContain('AGENT: Goodbye then.');
    expectNothingLeft(call);
  });

  it('ends the call even if the user speaks over its message', async () => {
    const call = startToolCall({
      stt: ['goodbye', 'no wait a moment'],
      llm: [
        { say: 'Goodbye then, and have a very nice day.', call: [{ name: 'hangUp', arguments: {} }] },
        'Yes?',
      ],
      stage: { tools: [builtInTool('hangUp')] },
    });
    await call.saySomething(700);
    await call.saySomething(2000);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expect(call.messages).toContain('AGENT: Goodbye then, and have a very nice day.');
    expectNothingLeft(call);
  });

  it('continues the call in soft mode when the user responds', async () => {
    const soft = builtInTool('hangUp', { staticParameters: [{ ...body, name: 'strict', value: false }] });
    const call = startToolCall({
      stt: ['goodbye', 'wait'],
      llm: [{ say: 'Goodbye then, and a nice day.', call: [{ name: 'hangUp', arguments: {} }] }, 'Yes?'],
      stage: { tools: [soft] },
    });
    await call.saySomething(700);
    await call.saySomething(2000);
    expect(call.outcome).toBeNull();
    expect(call.messages).toContain('TOOL_RESULT: The call ends unless the user speaks.');
    expect(call.messages.at(-1)).toBe('AGENT: Yes?');
    await call.hangUp();
  });

  it('plays a voicemail message to its end first', async () => {
    const call = startToolCall({
      stt: ['leave a message after the tone'],
      llm: [{ call: [{ name: 'leaveVoicemail', arguments: { message: 'Please call back.' } }] }],
      stage: {
        tools: [
          builtInTool('leaveVoicemail', {
            dynamicParameters: [{ ...body, name: 'message', required: true }],
          }),
        ],
      },
    });
    await call.saySomething(3000);
    expect(call.messages.at(-1)).toBe('AGENT: Please call back.');
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });
});

describe('built-in tools', () => {
  it('play DTMF tones after the preceding words', async () => {
    const call = startToolCall({
      stt: ['press one'],
      llm: [{ say: 'Ok.', call: [{ name: 'playDtmfSounds', arguments: { digits: '1#' } }] }],
      stage: {
        tools: [
          builtInTool('playDtmfSounds', { dynamicParameters: [{ ...body, name: 'digits', required: true }] }),
        ],
      },
    });
    await call.saySomething(2500);
    expect(call.messages.slice(1)).toEqual([
      'AGENT: Ok.',
      'TOOL_CALL: {"digits":"1#"}',
      'TOOL_RESULT: The tones of 1# are played.',
    ]);
    // 150 ms of speech, then two tones of 0.2 s with a gap of 0.1 s between them or after each.
    expect(call.transport.playedMs()).toBeGreaterThanOrEqual(150 + 500);
    expect(call.transport.playedMs()).toBeLessThanOrEqual(150 + 600 + 40);
    expect(call.transport.states.at(-1)).toBe('listening');
    await call.hangUp();
  });

  it.each([true, false])(
    'send DTMF digits after the preceding words, or play tones if the medium cannot send: %s',
    async (canSend) => {
      const sent: { digits: string; playedMs: number }[] = [];
      const call = startToolCall({
        stt: ['press one'],
        llm: [{ say: 'Ok.', call: [{ name: 'playDtmfSounds', arguments: { digits: '1#' } }] }],
        stage: {
          tools: [
            builtInTool('playDtmfSounds', {
              dynamicParameters: [{ ...body, name: 'digits', required: true }],
            }),
          ],
        },
        sendDigits: (digits) => {
          sent.push({ digits, playedMs: call.transport.playedMs() });
          return canSend;
        },
      });
      await call.saySomething(2500);
      expect(sent).toEqual([{ digits: '1#', playedMs: 160 }]);
      const result = canSend ? 'The digits 1# were sent.' : 'The tones of 1# are played.';
      expect(call.messages.at(-1)).toBe(`TOOL_RESULT: ${result}`);
      expect(call.transport.playedMs() > 160).toBe(!canSend);
      await call.hangUp();
    },
  );

  it('play no tones in text mode', async () => {
    const call = startToolCall({
      llm: [{ call: [{ name: 'playDtmfSounds', arguments: { digits: '1' } }] }, 'I cannot.'],
      stage: {
        tools: [
          builtInTool('playDtmfSounds', { dynamicParameters: [{ ...body, name: 'digits', required: true }] }),
        ],
      },
      spec: { initialOutputMedium: 'text' },
    });
    call.transport.say({ type: 'user_text_message', text: 'Press one.' });
    await call.transport.silence(call.clock, 1000);
    expect(call.messages.slice(-2)).toEqual([
      'TOOL_RESULT: Error: tones cannot be played while the agent responds in text',
      'AGENT: I cannot.',
    ]);
    await call.hangUp();
  });

  it('query a corpus, and reject a transfer over a medium without transfers', async () => {
    const call = startToolCall(
      {
        stt: ['what are the hours', 'transfer me'],
        llm: [
          { call: [{ name: 'queryCorpus', arguments: { query: 'hours' } }] },
          'Nine to five.',
          { call: [{ name: 'coldTransfer', arguments: { target: '+1' } }] },
          'I cannot.',
        ],
        stage: {
          tools: [
            builtInTool('queryCorpus', { dynamicParameters: [{ ...body, name: 'query' }] }),
            builtInTool('coldTransfer', { dynamicParameters: [{ ...body, name: 'target' }] }),
          ],
        },
      },
      {
        passages: [
          { content: 'Open nine to five.', score: 0.9, citation: { sourceId: 's', documentId: 'd' } },
        ],
      },
    );
    await call.saySomething(2500);
    expect(call.messages[2]).toContain('Open nine to five.');
    await call.saySomething(2500);
    expect(call.messages.at(-2)).toBe('TOOL_RESULT: Error: calls over this medium cannot be transferred');
    await call.hangUp();
  });
});

describe('a call in text mode', () => {
  it('uses tools in the same order as in voice mode', async () => {
    const call = startToolCall({
      llm: [{ say: 'Let me look.', call: [{ name: 'look', arguments: {} }] }, 'Found it.'],
      stage: { tools: [httpTool('look')] },
      spec: { initialOutputMedium: 'text' },
    });
    call.transport.say({ type: 'user_text_message', text: 'Look.' });
    await call.transport.silence(call.clock, 2000);
    expect(call.messages).toEqual([
      'USER: Look.',
      'AGENT: Let me look.',
      'TOOL_CALL: {}',
      'TOOL_RESULT: done',
      'AGENT: Found it.',
    ]);
    await call.hangUp();
  });

  it('accepts input only on the allowed mediums', async () => {
    const spoken = startToolCall({ llm: ['Hm.'], spec: { allowedMediums: ['voice'] } });
    spoken.transport.say({ type: 'user_text_message', text: 'Look.' });
    spoken.transport.say({ type: 'set_output_medium', medium: 'text' });
    await spoken.transport.silence(spoken.clock, 1000);
    expect(spoken.messages).toEqual([]);
    expect(spoken.noted('medium_not_allowed')).toHaveLength(2);
    await spoken.hangUp();
    const written = startToolCall({
      stt: ['hello'],
      llm: ['Hm.'],
      spec: { allowedMediums: ['text'], initialOutputMedium: 'text' },
    });
    await written.saySomething(1000);
    expect([written.messages, written.stt.opened]).toEqual([[], 0]);
    await written.hangUp();
  });
});
