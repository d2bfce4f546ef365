import { afterAll, describe, expect, it } from '@jest/globals';
import type { CallStage } from '@calls/api-contract/rest/call-records';
import type { Message } from '@calls/api-contract/rest/message';
import type { CallTool } from '@calls/api-contract/rest/tool-resource';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { Api } from '../support/api.ts';
import { DataConnectionServer } from '../support/data-connection-server.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack } from '../support/start-stack.ts';
import { startToolServer } from '../support/tool-server/start-tool-server.ts';

const SECRET = 'the secret that they share';
/** The maximum, because a busy machine may respond late. */
const TIMEOUT = '40s';
const body = { location: 'PARAMETER_LOCATION_BODY' };

const standIn = await startAiStandIn();
const stack = await startTestStack({
  env: {
    LLM_BASE_URL: standIn.baseUrl,
    LLM_MODEL: 'stand-in',
    OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
  },
});
const toolServer = await startToolServer({ secrets: [SECRET], apiUrl: stack.apiUrl });
const api = new Api(stack);
afterAll(async () => {
  await toolServer[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

/** A text call in which the user writes first. */
const written = (settings: Record<string, unknown>) => ({
  initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
  firstSpeakerSettings: { user: {} },
  sharedSecrets: [SECRET],
  ...settings,
});
const textOf = ({ role, text }: Message): string => `${role?.slice(13) ?? ''}: ${text ?? ''}`;
const httpTool = (name: string, more: Record<string, unknown> = {}) => ({
  temporaryTool: {
    modelToolName: name,
    description: `Does ${name}.`,
    timeout: TIMEOUT,
    http: { baseUrlPattern: `${toolServer.url}/${name}`, httpMethod: 'POST' },
    ...more,
  },
});

describe('call tools', () => {
  it('receive signed requests with the arguments of the model and a call token', async () => {
    await standIn.control({
      llm: {
        rules: [
          {
            last: 'user',
            contains: 'two rooms',
            reply: {
              text: 'Let me see.',
              toolCalls: [
                { name: 'book', arguments: { rooms: 2 } },
                { name: 'note', arguments: {} },
              ],
            },
          },
          { last: 'tool', contains: 'out of paper', reply: 'Your rooms are booked.' },
        ],
      },
    });
    await toolServer.script('/book', {
      body: { state: 'booked' },
      headers: { 'X-Svc-Update-Call-State': '{"rooms":2}' },
    });
    await toolServer.script('/note', { status: 500, body: 'out of paper' });
    const requirements = {
      httpSecurityOptions: { options: [{ svcCallTokenRequirement: { scopes: ['call.read'] } }] },
    };
    const { call, client } = await api.startCall(
      written({
        metadata: { hotel: 'Ritz' },
        selectedTools: [
          httpTool('book', {
            requirements,
            dynamicParameters: [{ ...body, name: 'rooms', schema: { type: 'integer' }, required: true }],
            automaticParameters: [
              { ...body, name: 'call', knownValue: 'KNOWN_PARAM_CALL_ID' },
              { ...body, name: 'about', knownValue: 'KNOWN_PARAM_CALL_METADATA' },
            ],
          }),
          httpTool('note', { defaultReaction: 'AGENT_REACTION_LISTENS' }),
        ],
      }),
    );
    client.send({ type: 'user_text_message', text: 'I need two rooms.' });
    await client.until('the answer', () => client.transcript.at(-1)?.text === 'Your rooms are booked.');
    await client.hangUp();
    await api.endedCall(call.callId);

    const [booking] = await toolServer.requests('/book');
    expect(booking).toMatchObject({
      method: 'POST',
      body: { rooms: 2, call: call.callId, about: { hotel: 'Ritz' } },
      signature: 'valid',
      callTokenStatus: 200,
    });
    const messages = await api.messages(call.callId);
    expect(messages.map(textOf).sort()).toEqual(
      [
        'USER: I need two rooms.',
        'AGENT: Let me see.',
        'TOOL_CALL: {"rooms":2}',
        'TOOL_CALL: {}',
        'TOOL_RESULT: {"state":"booked"}',
        'TOOL_RESULT: Error: the tool responded with HTTP status 500: out of paper',
        'AGENT: Your rooms are booked.',
      ].sort(),
    );
    const booked = messages.find(({ callState }) => callState);
    expect(booked).toMatchObject({ toolName: 'book', callState: { rooms: 2 } });
    expect(messages.find(({ errorDetails }) => errorDetails)).toMatchObject({ toolName: 'note' });
    const events = await api.events(call.callId);
    expect(events.filter(({ type }) => type === 'tool_error')).toHaveLength(1);
    // The call has ended, so its token is invalid.
    const token = booking?.headers['x-svc-call-token'];
    const late = await fetch(`${stack.apiUrl}/api/calls/${call.callId}`, {
      headers: { 'X-Svc-Call-Token': String(token) },
    });
    expect(late.status).toBe(401);
  });

  it('can start a new stage with its own tools, prompt and messages', async () => {
    await standIn.control({
      llm: {
        rules: [
          { last: 'user', contains: 'sales', reply: { toolCalls: [{ name: 'transfer' }] } },
          { last: 'tool', contains: 'stage changed', reply: 'Sales here.' },
          {
            last: 'user',
            contains: 'bye',
            reply: { text: 'Goodbye then.', toolCalls: [{ name: 'hangUp' }] },
          },
        ],
      },
    });
    await toolServer.script('/transfer', {
      headers: { 'X-Svc-Response-Type': 'new-stage' },
      body: { systemPrompt: 'You sell cars.', selectedTools: [{ toolName: 'hangUp' }] },
    });
    const { call, client } = await api.startCall(written({ selectedTools: [httpTool('transfer')] }));
    client.send({ type: 'user_text_message', text: 'Sales, please.' });
    await client.until('the new stage', () => client.transcript.at(-1)?.text === 'Sales here.');
    client.send({ type: 'user_text_message', text: 'Bye.' });
    expect((await api.endedCall(call.callId)).endReason).toBe('agent_hangup');

    const { body: page } = await api.request<{ results: CallStage[] }>(
      'GET',
      `/api/calls/${call.callId}/stages`,
    );
    const [first, second] = page.results;
    expect(page.results.map(({ systemPrompt }) => systemPrompt)).toEqual([
      'You are Ada, the receptionist of a hotel.',
      'You sell cars.',
    ]);
    const toolsOf = async (stage: CallStage | undefined) => {
      const path = `/api/calls/${call.callId}/stages/${stage?.callStageId ?? ''}/tools`;
      return (await api.request<CallTool[]>('GET', path)).body.map(({ name }) => name);
    };
    expect([await toolsOf(first), await toolsOf(second)]).toEqual([['transfer'], ['hangUp']]);
    const inCall = await api.request<{ results: Message[] }>(
      'GET',
      `/api/calls/${call.callId}/messages?mode=in_call&pageSize=100`,
    );
    expect(inCall.body.results.map(({ role }) => role?.slice(13))).toEqual([
      'USER',
      'TOOL_CALL',
      'TOOL_RESULT',
      'AGENT',
      'USER',
      'AGENT',
      'TOOL_CALL',
      'TOOL_RESULT',
    ]);
    // The last stage started with the earlier messages.
    expect((await api.messages(call.callId)).map(textOf)[0]).toBe('USER: Sales, please.');
    // Does not use the last request, which may be for the summary of an ended call.
    const { recent } = await standIn.requests();
    const farewell = recent.find(({ asked }) => asked['lastUser'] === 'Bye.');
    expect(JSON.stringify(farewell?.asked)).toContain('You sell cars.');
  });

  it('are cancelled or undone when the user retracts the request', async () => {
    await standIn.control({
      llm: {
        rules: [
          {
            last: 'user',
            contains: 'tuesday',
            reply: {
              toolCalls: [
                { name: 'order', arguments: { day: 'tuesday' } },
                { name: 'reserve', arguments: { day: 'tuesday' } },
              ],
            },
          },
          { last: 'user', contains: 'stop', reply: 'As you like.' },
        ],
      },
    });
    await toolServer.script('/order', { failure: 'hang' });
    await toolServer.script('/reserve', { body: { reservation: 'r7' }, delayMs: 1500 });
    await toolServer.script('/release', { body: 'released' });
    const dynamicParameters = [{ ...body, name: 'day' }];
    const undo = { onInterruption: 'INTERRUPTION_UNDO', undoTool: 'release' };
    const { call, client } = await api.startCall(
      written({
        selectedTools: [
          httpTool('order', { dynamicParameters, onInterruption: 'INTERRUPTION_CANCEL' }),
          httpTool('reserve', { dynamicParameters, ...undo }),
          httpTool('release', {
            dynamicParameters: [...dynamicParameters, { ...body, name: 'reservation', required: true }],
          }),
        ],
      }),
    );
    client.send({ type: 'user_text_message', text: 'Book tuesday.' });
    await eventually(async () => expect(await toolServer.requests('/reserve')).toHaveLength(1));
    await eventually(async () => expect(await toolServer.requests('/order')).toHaveLength(1));
    client.send({ type: 'user_text_message', text: 'No, stop.', urgency: 'immediate' });
    await client.until('the answer', () => client.transcript.at(-1)?.text === 'As you like.');
    await eventually(async () =>
      expect(await toolServer.requests('/release')).toMatchObject([
        { body: { day: 'tuesday', reservation: 'r7' }, signature: 'valid' },
      ]),
    );
    expect(await toolServer.requests('/order')).toMatchObject([{ aborted: true }]);
    expect(await toolServer.requests('/reserve')).toMatchObject([{ aborted: false }]);
    await client.hangUp();
    await api.endedCall(call.callId);
    const actions = (await api.events(call.callId)).filter(({ type }) => type === 'tool_interrupted');
    expect(actions.map(({ extras }) => extras?.['action']).sort()).toEqual(['cancelled', 'undone']);
    const results = (await api.messages(call.callId)).filter(
      ({ role }) => role === 'MESSAGE_ROLE_TOOL_RESULT',
    );
    expect(results.map(({ toolName, text = '' }) => `${toolName}: ${text.split(',')[0]}`).sort()).toEqual([
      'order: Cancelled before it was done',
      'release: released',
      'reserve: It will be undone when it finishes',
    ]);
  });

  it('run in the client and over the data connection, which receives call audio', async () => {
    await standIn.control({
      llm: {
        rules: [
          {
            last: 'user',
            contains: 'show',
            reply: {
              toolCalls: [
                { name: 'show', arguments: { page: 3 } },
                { name: 'log', arguments: {} },
              ],
            },
          },
          { last: 'tool', contains: '', reply: 'Both are done.' },
        ],
      },
    });
    await using server = await DataConnectionServer.start([SECRET]);
    const { call, client } = await api.startCall(
      written({
        initialOutputMedium: 'MESSAGE_MEDIUM_VOICE',
        dataConnection: {
          websocketUrl: server.url,
          audioConfig: { sampleRate: 8000, channelMode: 'CHANNEL_MODE_SEPARATED' },
          dataMessages: { toolUsed: true },
        },
        selectedTools: [
          {
            temporaryTool: {
              modelToolName: 'show',
              timeout: TIMEOUT,
              client: {},
              dynamicParameters: [{ ...body, name: 'page' }],
            },
          },
          { temporaryTool: { modelToolName: 'log', timeout: TIMEOUT, dataConnection: {} } },
        ],
      }),
    );
    await eventually(() => {
      if (server.connections.length !== 1) throw new Error('not connected');
      return Promise.resolve();
    });
    const [connection] = server.connections;
    client.send({ type: 'user_text_message', text: 'Show me.' });
    const invoked = () => client.messages.find(({ message }) => message.type === 'client_tool_invocation');
    await client.until('the invocation', () => invoked() !== undefined);
    const shown = invoked()?.message;
    expect(shown).toMatchObject({ toolName: 'show', parameters: { page: 3 } });
    client.send({
      type: 'client_tool_result',
      invocationId: shown && 'invocationId' in shown ? shown.invocationId : '',
      result: 'shown',
    });
    const logged = await eventually(() => {
      const found = connection?.messages.find(({ type }) => type === 'data_connection_tool_invocation');
      if (!found || !('invocationId' in found)) throw new Error('not invoked');
      return Promise.resolve(found);
    });
    connection?.say({
      type: 'data_connection_tool_result',
      invocationId: logged.invocationId,
      result: 'logged',
    });
    await client.until('the answer', () => client.transcript.at(-1)?.text === 'Both are done.');
    await client.hangUp();
    expect(await connection?.closed).toBe(1000);
    expect(connection?.signature).toBe('valid');
    const types = new Set(connection?.messages.map(({ type }) => type));
    expect([...types]).toEqual(expect.arrayContaining(['call_started', 'state', 'transcript', 'tool_used']));
    // The agent spoke for about a second on the right channel, not on the left.
    const audio = connection?.audio ?? Buffer.alloc(0);
    const loudest = [0, 0];
    for (let at = 0; at + 1 < audio.length; at += 2) {
      const channel = (at / 2) % 2;
      loudest[channel] = Math.max(loudest[channel] ?? 0, Math.abs(audio.readInt16LE(at)));
    }
    expect(loudest[0]).toBeLessThan(100);
    expect(loudest[1]).toBeGreaterThan(1000);
    expect((await api.messages(call.callId)).at(-1)?.text).toBe('Both are done.');
  });
});
