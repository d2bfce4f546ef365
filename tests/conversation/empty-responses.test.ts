import { describe, expect, it } from '@jest/globals';
import { startCall, startToolCall } from '../support/scripted-call.ts';
import { httpTool } from '../support/scripted-tools.ts';

describe('a model that returns neither words nor tool calls', () => {
  it('is asked once more', async () => {
    const call = startCall({ stt: ['hello'], llm: ['', 'Hi there.'] });
    await call.saySomething(2000);
    expect(call.messages).toEqual(['USER: hello', 'AGENT: Hi there.']);
    const [first, second] = call.llm.requests;
    expect(second).toEqual(first);
    expect(call.noted('response_missing')).toEqual([]);
    await call.hangUp();
  });

  it('is reported the second time', async () => {
    const call = startCall({ stt: ['hello'], llm: ['', ' '] });
    await call.saySomething(2000);
    expect(call.llm.requests).toHaveLength(2);
    expect(call.noted('response_missing')).toMatchObject([{ extras: { reason: 'nothing_to_say' } }]);
    await call.hangUp();
  });

  it('is asked once more for what a tool returned', async () => {
    const weather = { call: [{ name: 'weather', arguments: {} }] };
    const call = startToolCall(
      { stt: ['weather'], llm: [weather, '', 'It is sunny.'], stage: { tools: [httpTool('weather')] } },
      { answers: { '/weather': { body: 'sunny' } } },
    );
    await call.saySomething(3000);
    expect(call.messages.slice(1)).toEqual(['TOOL_CALL: {}', 'TOOL_RESULT: sunny', 'AGENT: It is sunny.']);
    expect(call.world.requests).toHaveLength(1);
    await call.hangUp();
  });

  it('is not asked again after a tool that lets the agent listen', async () => {
    const note = { call: [{ name: 'note', arguments: {} }] };
    const headers = { 'x-svc-agent-reaction': 'listens' };
    const call = startToolCall(
      { stt: ['wait'], llm: [note], stage: { tools: [httpTool('note')] } },
      { answers: { '/note': { headers, body: 'noted' } } },
    );
    await call.saySomething(3000);
    expect(call.llm.requests).toHaveLength(1);
    await call.hangUp();
  });
});
