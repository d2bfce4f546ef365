import { describe, expect, it } from '@jest/globals';
import type { LanguageModel, ModelRequest } from '@calls/engine-ports/language-model';
import { delay, type Clock } from '@calls/foundation/clock';
import { agentSpeaksFirst, stageSpec } from '@calls/testkit/call-spec';
import { finish, reconnect, shown } from '../support/reconnect.ts';
import {
  expectNothingLeft,
  resumeCall,
  startCall,
  startToolCall,
  type ScriptedCall,
} from '../support/scripted-call.ts';
import { clientTool, httpTool } from '../support/scripted-tools.ts';

const BACK = 'Sorry, I lost you for a moment. Please go on.';
const LONG = 'One two three four five six seven eight nine ten eleven twelve.';
const agentGreets = {
  firstSpeaker: agentSpeaksFirst('Welcome to the clinic.'),
} as const;

/** Time from the connection to the agent's first audio, in milliseconds. */
function answeredAfterMs(call: ScriptedCall, connectedAtMs: number): number {
  return (call.transport.frames[0]?.atMs ?? Number.POSITIVE_INFINITY) - connectedAtMs;
}

describe('a call that loses its connection', () => {
  it('repeats the sentence that the agent was speaking', async () => {
    const call = startCall({ stt: ['hello', 'and now'], llm: [LONG, 'Fine.'] });
    await call.saySomething(1500);
    expect(call.transport.states.at(-1)).toBe('speaking');
    const lostAtMs = call.clock.wallMs();
    await call.loseConnection();
    expect(call.suspended?.lostAtMs).toBe(lostAtMs);
    expect(call.transport.closedWith).toBe('service_restart');
    expectNothingLeft(call);
    const [user, interrupted, ...more] = call.messages;
    expect(user).toBe('USER: hello');
    const words = interrupted?.replace('AGENT: ', '') ?? '';
    expect(LONG.startsWith(words) && words !== '' && words !== LONG).toBe(true);
    expect(more).toEqual([]);

    await call.clock.advance(4000);
    const connectedAtMs = call.clock.nowMs();
    const again = resumeCall(call);
    await again.transport.silence(call.clock, 4000);
    expect(answeredAfterMs(again, connectedAtMs)).toBeLessThan(1000);
    const received = again.transport.messages
      .map(({ what }) => what)
      .filter(({ type }) => type !== 'call_event');
    const { callId } = call.spec;
    const missed = { type: 'transcript', medium: 'voice', delta: null, final: true };
    expect(received.slice(0, 4)).toEqual([
      { type: 'call_started', callId, reconnectGraceMs: 10_000 },
      { ...missed, role: 'user', text: 'hello', ordinal: 0 },
      { ...missed, role: 'agent', text: words, ordinal: 1 },
      { type: 'state', state: 'thinking' },
    ]);
    await again.saySomething();
    await again.transport.silence(call.clock, 1500);
    expect(call.messages).toEqual([user, interrupted, `AGENT: ${LONG}`, 'USER: and now', 'AGENT: Fine.']);
    expect(again.llm.requests.at(-1)?.messages.slice(1)).toEqual([
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: words },
      { role: 'assistant', content: LONG },
      { role: 'user', content: 'and now' },
    ]);
    expect(shown(call, again)).toEqual([
      'user: hello',
      `agent: ${words}`,
      `agent: ${LONG}`,
      'user: and now',
      'agent: Fine.',
    ]);
    // Call time counts from the first join.
    const starts = call.entries.map(({ timespan }) => Number.parseFloat(timespan?.start ?? ''));
    expect([...starts].sort((a, b) => a - b)).toEqual(starts);
    expect(starts.at(-1)).toBeGreaterThan(10);
    expect(
      [call.noted('connection_lost'), call.noted('connection_restored')].map(({ length }) => length),
    ).toEqual([1, 1]);
    await finish(call, again);
  });

  it('plays the reconnect message when the agent had finished', async () => {
    const call = startCall({ spec: agentGreets });
    await call.transport.silence(call.clock, 4000);
    const again = await reconnect(call);
    expect(call.messages).toEqual(['AGENT: Welcome to the clinic.', `AGENT: ${BACK}`]);
    await finish(call, again);
  });

  it.each([
    [1900, []],
    [2000, [`AGENT: ${BACK}`]],
  ])('after a planned handover of %d ms while the agent waited, plays %j', async (breakMs, said) => {
    const call = startCall({ spec: agentGreets });
    await call.transport.silence(call.clock, 4000);
    await call.loseConnection();
    await call.clock.advance((call.suspended?.lostAtMs ?? 0) + breakMs - call.clock.wallMs());
    const again = resumeCall(call, { isHandedOver: true });
    await again.transport.silence(call.clock, 3000);
    expect(call.messages).toEqual(['AGENT: Welcome to the clinic.', ...said]);
    await finish(call, again);
  });

  it('continues a response at the sentence that was cut off, also after a second disconnect', async () => {
    const call = startCall({ stt: ['hello'], llm: ['We are **open** today. Come at ten or at two. Bye.'] });
    await call.saySomething(2000);
    await call.loseConnection();
    expect(call.messages.at(-1)).toMatch(/^AGENT: We are open today. Come (?!.*Bye)/u);
    const again = resumeCall(call);
    await again.transport.silence(call.clock, 1000);
    await again.loseConnection();
    const third = resumeCall(again);
    await third.transport.silence(call.clock, 5000);
    expect(call.messages.slice(2)).toEqual([
      expect.stringMatching(/^AGENT: Come (?!.*Bye)/u),
      'AGENT: Come at ten or at two. Bye.',
    ]);
    expect(call.llm.requests).toHaveLength(1);
    await finish(call, again, third);
  });

  it('continues a long sentence with the next word', async () => {
    const words = Array.from({ length: 40 }, (_, i) => `word${i}`);
    const call = startCall({ stt: ['hello'], llm: [`${words.join(' ')}.`] });
    await call.saySomething(6500);
    await call.loseConnection();
    const played = call.messages.at(-1)?.replace('AGENT: ', '') ?? '';
    expect(played.length).toBeGreaterThan(80);
    const again = resumeCall(call);
    await again.transport.silence(call.clock, 15_000);
    expect(`${played} ${call.messages.at(-1)?.replace('AGENT: ', '')}`).toBe(`${words.join(' ')}.`);
    await finish(call, again);
  });

  it('generates the whole response again when the model had not finished it', async () => {
    const slow = async function* (clock: Clock, signal: AbortSignal): ReturnType<LanguageModel['respond']> {
      yield { type: 'text', text: 'We have two rooms. ' };
      await delay(clock, 20_000, signal);
      yield { type: 'text', text: 'Which one?' };
    };
    const requests: ModelRequest[] = [];
    const call = startCall({
      stt: ['a room please'],
      services: (clock) => ({
        languageModel: {
          acceptsAudio: () => false,
          respond: (request, signal) => {
            requests.push(request);
            return slow(clock, signal);
          },
        },
      }),
    });
    await call.saySomething(1500);
    const again = await reconnect(call);
    expect(call.messages[1]).toMatch(/^AGENT: We have/u);
    const [first, second] = requests.map(({ messages }) => messages);
    expect(second).toEqual(first);
    expect(shown(call, again).at(-1)).toMatch(/^agent: We have two/u);
    await finish(call, again);
  });

  it('does not let the user interrupt the rest of an uninterruptible response', async () => {
    const greeting = { ...agentGreets.firstSpeaker, text: LONG, uninterruptible: true };
    const call = startCall({ spec: { firstSpeaker: greeting }, stt: ['wait', 'wait'], llm: ['Yes?'] });
    await call.transport.silence(call.clock, 1500);
    await call.loseConnection();
    const again = resumeCall(call);
    await again.transport.silence(call.clock, 500);
    await again.transport.speak(call.clock, 1000);
    await again.transport.silence(call.clock, 6000);
    expect(call.messages.slice(1)).toEqual([`AGENT: ${LONG}`, 'USER: wait', 'AGENT: Yes?']);
    await finish(call, again);
  });

  it('responds to the transcript when the user was speaking', async () => {
    const call = startCall({
      stt: ['book a table', 'for two', 'for three'],
      llm: ['Begun too soon.', 'Done.', 'For three, done.'],
    });
    // The end of the turn is near, and its words are known.
    await call.transport.speak(call.clock, 1000);
    await call.transport.silence(call.clock, 300);
    const again = await reconnect(call);
    expect(call.messages).toEqual(['USER: book a table', 'AGENT: Done.']);
    await again.transport.speak(call.clock, 600);
    const third = await reconnect(again);
    await third.saySomething();
    await third.transport.silence(call.clock, 2000);
    expect(call.messages.slice(2)).toEqual([
      'USER: for two',
      'AGENT: For three, done.',
      'USER: for three',
      'AGENT: I see.',
    ]);
    await finish(call, again, third);
  });

  it('generates the response again when its generation was in progress', async () => {
    const call = startCall({ stt: ['hello'], llm: ['Good day.', 'Good day again.'], llmDelayMs: 1500 });
    await call.saySomething(500);
    expect(call.transport.states.at(-1)).toBe('thinking');
    const again = await reconnect(call);
    expect(call.messages).toEqual(['USER: hello', 'AGENT: Good day again.']);
    await finish(call, again);
  });

  it('repeats the greeting when it was not fully played', async () => {
    const early = startCall({ spec: agentGreets });
    await early.transport.silence(early.clock, 40);
    expect(early.transport.frames).toEqual([]);
    const again = await reconnect(early);
    expect(early.messages).toEqual(['AGENT: Welcome to the clinic.']);
    expect(again.transport.transcript).toEqual(['agent: Welcome to the clinic.']);
    await finish(early, again);

    const late = startCall({ spec: agentGreets });
    await late.transport.silence(late.clock, 800);
    const back = await reconnect(late);
    expect(late.messages).toEqual(['AGENT: Welcome to', 'AGENT: Welcome to the clinic.']);
    await finish(late, back);
  });

  it('keeps its initial messages and the first speaker when no one had spoken', async () => {
    const initialMessages = [{ role: 'MESSAGE_ROLE_USER', text: 'I called yesterday.' }] as const;
    const call = startCall({
      stt: ['me again'],
      llm: ['Welcome back.'],
      stage: { initialMessages: [...initialMessages] },
    });
    await call.transport.silence(call.clock, 1000);
    const again = await reconnect(call);
    expect(again.transport.states).toEqual(['listening']);
    await again.saySomething();
    await again.transport.silence(call.clock, 2000);
    expect(call.messages).toEqual(['USER: I called yesterday.', 'USER: me again', 'AGENT: Welcome back.']);
    expect(shown(call, again)).toEqual(['user: me again', 'agent: Welcome back.']);
    await finish(call, again);
  });

  it('reports the results of tools that were running as lost, once, and ignores late ones', async () => {
    const call = startToolCall(
      {
        stt: ['look it up'],
        llm: [
          {
            say: 'Let me look.',
            call: [
              { name: 'look', arguments: {} },
              { name: 'show', arguments: {} },
            ],
          },
          'I could not.',
        ],
        stage: { tools: [httpTool('look', { timeout: '10s' }), clientTool('show', { timeout: '10s' })] },
      },
      {
        delayMs: 3000,
        answers: { '/look': { headers: { 'x-svc-update-call-state': '{"seen":true}' } } },
      },
    );
    await call.saySomething(1500);
    const asked = call.transport.messages.find(({ what }) => what.type === 'client_tool_invocation')?.what;
    const invocationId = asked?.type === 'client_tool_invocation' ? asked.invocationId : '';
    await call.loseConnection();
    const again = resumeCall(call);
    again.transport.say({ type: 'client_tool_result', invocationId, result: 'shown' });
    const lost =
      'Error: the connection was interrupted, so the result is lost; the tool may have done its work';
    await again.transport.silence(call.clock, 6000);
    expect(call.messages).toEqual([
      'USER: look it up',
      'AGENT: Let me look.',
      'TOOL_CALL: {}',
      'TOOL_CALL: {}',
      `TOOL_RESULT: ${lost}`,
      `TOOL_RESULT: ${lost}`,
      'AGENT: I could not.',
    ]);
    expect(
      call.llm.requests
        .at(-1)
        ?.messages.filter(({ role }) => role === 'tool')
        .map(({ content }) => content),
    ).toEqual([lost, lost]);
    expect(call.noted('tool_error')).toHaveLength(2);
    expect(call.noted('tool_result_unexpected')).toHaveLength(1);
    again.session.suspend();
    await call.clock.advance(100);
    expect(again.suspended?.snapshot.state).toEqual({});
    await resumeCall(again).transport.silence(call.clock, 100);
    expect(call.noted('tool_error')).toHaveLength(2);
  });

  it('reports no lost result of a tool call in its initial messages', async () => {
    const called = {
      role: 'MESSAGE_ROLE_TOOL_CALL',
      toolName: 'look',
      invocationId: 'a',
      text: '{}',
    } as const;
    const call = startCall({ llm: ['Hello.', 'Hello again.'], stage: { initialMessages: [called] } });
    await call.transport.silence(call.clock, 3000);
    await call.loseConnection();
    await resumeCall(call).transport.silence(call.clock, 1000);
    expect(call.noted('connection_restored')).toHaveLength(1);
    expect(call.noted('tool_error')).toHaveLength(0);
  });

  it('keeps prompt, voice, state and tools of its second stage', async () => {
    const transfer = { say: 'I put you through.', call: [{ name: 'transfer', arguments: {} }] };
    const call = startToolCall(
      {
        stt: ['I want to buy', 'yes'],
        llm: [transfer, 'Sales here.', { call: [{ name: 'note', arguments: {} }] }, 'Noted.'],
        stage: { initialState: { from: 'first' }, tools: [httpTool('transfer')] },
      },
      {
        answers: {
          '/transfer': {
            headers: { 'x-svc-response-type': 'new-stage' },
            body: '{"systemPrompt":"You sell."}',
          },
          '/note': { headers: { 'x-svc-update-call-state': '{"buys":true}' } },
        },
        stage: ({ stageId }) =>
          stageSpec({
            stageId,
            systemPrompt: 'You sell.',
            voice: { engine: 'second', settings: {} },
            tools: [httpTool('note')],
          }),
      },
    );
    await call.saySomething(4000);
    const again = await reconnect(call);
    expect(call.suspended?.snapshot.state).toEqual({ from: 'first' });
    expect(call.messages.at(-1)).toBe(`AGENT: ${BACK}`);
    await again.saySomething();
    await again.transport.silence(call.clock, 3000);
    expect(call.llm.requests.at(-1)?.messages[0]).toEqual({ role: 'system', content: 'You sell.' });
    expect(call.tts.voices).toEqual(['main', 'second']);
    expect(call.messages.at(-1)).toBe('AGENT: Noted.');
    const third = await reconnect(again);
    expect(again.suspended?.snapshot.state).toEqual({ from: 'first', buys: true });
    expect(call.world.stageRequests).toHaveLength(1);
    await finish(call, again, third);
  });

  it('continues in text when the client had requested text', async () => {
    const call = startCall({ llm: ['Yes.', 'Of course.'] });
    call.transport.say({ type: 'set_output_medium', medium: 'text' });
    call.transport.say({ type: 'user_text_message', text: 'Are you there?' });
    await call.transport.silence(call.clock, 1000);
    const again = await reconnect(call);
    expect(again.transport.frames).toEqual([]);
    expect(shown(call, again)).toEqual(['user: Are you there?', 'agent: Yes.', `agent: ${BACK}`]);
    await finish(call, again);
  });

  it('responds to a text message that was received while the agent spoke', async () => {
    const call = startCall({ stt: ['hello'], llm: [LONG, 'Yes, also.'] });
    await call.saySomething(1000);
    call.transport.say({ type: 'user_text_message', text: 'Also on Sundays?' });
    await call.clock.advance(20);
    const again = await reconnect(call);
    expect(call.messages.slice(2)).toEqual(['USER: Also on Sundays?', 'AGENT: Yes, also.']);
    await finish(call, again);
  });

  it('restarts the inactivity messages and keeps maxDuration', async () => {
    const call = startCall({
      spec: { ...agentGreets, maxDurationMs: 30_000 },
      stage: {
        inactivityMessages: [
          { delayMs: 2000, text: 'Are you there?', hangUp: 'never' },
          { delayMs: 60_000, text: 'Bye.', hangUp: 'always' },
        ],
        timeExceededMessage: 'Time is up.',
      },
    });
    await call.transport.silence(call.clock, 6000);
    expect(call.messages).toEqual(['AGENT: Welcome to the clinic.', 'AGENT: Are you there?']);
    const again = await reconnect(call);
    await again.transport.silence(call.clock, 4000);
    expect(call.messages.slice(2)).toEqual([`AGENT: ${BACK}`, 'AGENT: Are you there?']);
    await again.transport.silence(call.clock, 30_000 - call.clock.nowMs() - 20);
    expect(call.messages).toHaveLength(4);
    await again.transport.silence(call.clock, 2000);
    expect(again.outcome?.reason).toBe('timeout');
    expect(call.messages.at(-1)).toBe('AGENT: Time is up.');
    expectNothingLeft(again);
  });

  it('ends instead of waiting for a reconnect when its final message was playing', async () => {
    const call = startCall({});
    call.session.receive({ type: 'hang_up', message: 'Good bye and thank you.' });
    await call.transport.silence(call.clock, 500);
    await call.loseConnection();
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });

  it('sums tokens over all sessions', async () => {
    const call = startCall({ stt: ['hello', 'again'], llm: ['Good day.', 'Good day.'] });
    await call.saySomething(1500);
    const again = await reconnect(call);
    await again.saySomething();
    await again.transport.silence(call.clock, 1500);
    await finish(call, again);
    expect(again.outcome).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });
});
