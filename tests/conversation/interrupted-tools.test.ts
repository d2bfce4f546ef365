import { describe, expect, it } from '@jest/globals';
import type { CallToolSpec } from '@calls/api-contract/call-spec';
import { expectNothingLeft, startToolCall, type ScriptedCall } from '../support/scripted-call.ts';
import { clientTool, httpTool } from '../support/scripted-tools.ts';

const parameter = (name: string) => ({ name, location: 'PARAMETER_LOCATION_BODY' as const, required: true });
const CANCEL = { timeout: '10s', onInterruption: 'INTERRUPTION_CANCEL' } as const;
const UNDO = { timeout: '10s', onInterruption: 'INTERRUPTION_UNDO', undoTool: 'release' } as const;
const book = (definition: CallToolSpec['definition']): CallToolSpec =>
  httpTool('book', { dynamicParameters: [parameter('day')], ...definition });
const release = httpTool('release', { dynamicParameters: [parameter('booking'), parameter('day')] });

const STT = ['book tuesday', 'no wednesday'];
const ask = (day: string) => ({ call: [{ name: 'book', arguments: { day } }] });
const AGAIN =
  'because the user went on speaking. Call the tool again if what the user wants now requires it.';

const pathsOf = ({ world }: ScriptedCall) =>
  world.requests.map(({ url, body }) => `${new URL(url).pathname} ${body ?? ''}`);
const interrupted = (call: ScriptedCall) =>
  call.noted('tool_interrupted').map((event) => (event.type === 'noted' ? event.extras?.['action'] : null));
const resultsOf = (call: ScriptedCall) =>
  call.entries.flatMap(({ role, toolName, text }) =>
    role === 'MESSAGE_ROLE_TOOL_RESULT' ? [`${toolName}: ${text}`] : [],
  );

/** The model calls the tool 1 s after the user's turn, when the user already speaks again. */
async function speakOnBeforeTool(words: string): Promise<ScriptedCall> {
  const call = startToolCall({
    stt: ['book tuesday', words],
    llm: [ask('tuesday'), ...(words === '' ? ['Booked.'] : [ask('wednesday'), 'Booked.'])],
    llmDelayMs: 1000,
    stage: { tools: [book({})] },
  });
  await call.saySomething(200);
  await call.transport.speak(call.clock, 600);
  expect(call.llm.requests).toHaveLength(1);
  expect(call.messages).toContain('TOOL_CALL: {"day":"tuesday"}');
  expect(call.world.requests).toEqual([]);
  await call.transport.silence(call.clock, 6000);
  return call;
}

describe('a tool that is called while the user speaks again', () => {
  it('does not run when the user corrects the request', async () => {
    const call = await speakOnBeforeTool('no wednesday');
    expect(pathsOf(call)).toEqual(['/book {"day":"wednesday"}']);
    expect(resultsOf(call)).toEqual([`book: Not run, ${AGAIN}`, 'book: done']);
    expect(interrupted(call)).toEqual(['not_started']);
    expect(call.messages.at(-1)).toBe('AGENT: Booked.');
    await call.hangUp();
  });

  it('runs when the sound has no words', async () => {
    const call = await speakOnBeforeTool('');
    expect(pathsOf(call)).toEqual(['/book {"day":"tuesday"}']);
    expect(resultsOf(call)).toEqual(['book: done']);
    expect(interrupted(call)).toEqual([]);
    await call.hangUp();
  });
});

const ANSWERS: NonNullable<Parameters<typeof startToolCall>[0]['llm']> = [
  ask('tuesday'),
  ask('wednesday'),
  'It is done.',
];

/** The user corrects the request `afterMs` after its end. The tools take 3 s. */
async function correct(
  tools: CallToolSpec[],
  { afterMs = 1500, delayMs = 3000, stt = STT, llm = ANSWERS, answers = {} } = {},
): Promise<ScriptedCall> {
  const call = startToolCall(
    { stt, llm, stage: { tools } },
    { delayMs, answers: { '/book': { body: '{"booking":17}' }, ...answers } },
  );
  await call.saySomething();
  await call.transport.silence(call.clock, afterMs - 500);
  expect(pathsOf(call)).toEqual(['/book {"day":"tuesday"}']);
  await call.saySomething();
  return call;
}

describe('a tool that runs when the user speaks again', () => {
  it('continues by default', async () => {
    const call = await correct([book({ timeout: '10s' }), release]);
    await call.transport.silence(call.clock, 12_000);
    expect(pathsOf(call)).toEqual(['/book {"day":"tuesday"}', '/book {"day":"wednesday"}']);
    expect(call.world.aborted).toBe(0);
    expect(interrupted(call)).toEqual([]);
    await call.hangUp();
  });

  it('is aborted with INTERRUPTION_CANCEL', async () => {
    const call = await correct([book(CANCEL), release]);
    expect(call.world.aborted).toBe(1);
    await call.transport.silence(call.clock, 8000);
    expect(pathsOf(call)).toEqual(['/book {"day":"tuesday"}', '/book {"day":"wednesday"}']);
    const result = `Cancelled before it was done, ${AGAIN}`;
    expect(resultsOf(call)).toEqual([`book: ${result}`, 'book: {"booking":17}']);
    expect(call.llm.requests[1]?.messages).toContainEqual(
      expect.objectContaining({ role: 'tool', content: result }),
    );
    expect(interrupted(call)).toEqual(['cancelled']);
    expect(call.noted('tool_error')).toEqual([]);
    expect(call.messages.at(-1)).toBe('AGENT: It is done.');
    await call.hangUp();
  });

  it('is undone before it is called again with INTERRUPTION_UNDO', async () => {
    const call = await correct([book(UNDO), release]);
    await call.transport.silence(call.clock, 12_000);
    expect(pathsOf(call)).toEqual([
      '/book {"day":"tuesday"}',
      '/release {"booking":17,"day":"tuesday"}',
      '/book {"day":"wednesday"}',
    ]);
    expect(resultsOf(call)).toEqual([
      `book: It will be undone when it finishes, ${AGAIN}`,
      'release: done',
      'book: {"booking":17}',
    ]);
    expect(call.messages[0]).toBe('USER: book tuesday no wednesday');
    const second = call.llm.requests[1]?.messages ?? [];
    expect(second.at(-1)).toEqual({ role: 'user', content: 'no wednesday' });
    expect(interrupted(call)).toEqual(['undone']);
    expect(call.messages.at(-1)).toBe('AGENT: It is done.');
    await call.hangUp();
  });

  it('is not undone when it fails', async () => {
    const call = await correct([book(UNDO), release], { answers: { '/book': { status: 500 } } });
    await call.transport.silence(call.clock, 12_000);
    expect(pathsOf(call)).toEqual(['/book {"day":"tuesday"}', '/book {"day":"wednesday"}']);
    await call.hangUp();
  });

  it('reports a failed undo to the model', async () => {
    const call = await correct([book(UNDO), release], {
      answers: { '/release': { status: 409, body: 'gone' } },
    });
    await call.transport.silence(call.clock, 20_000);
    const failure = 'Error: the tool responded with HTTP status 409: gone';
    expect(resultsOf(call)).toContain(`release: ${failure}`);
    expect(call.noted('tool_error')).toHaveLength(1);
    const seen = call.llm.requests.filter(({ messages }) =>
      messages.some(({ content }) => content === failure),
    );
    expect(seen.length).toBeGreaterThan(0);
    await call.hangUp();
  });

  it('is undone even if the call ends first', async () => {
    const call = await correct([book(UNDO), release]);
    await call.hangUpDuringTools();
    // The process must not stop before it is undone.
    expect(call.world.pendingWork).toBe(1);
    const events = call.events.length;
    await call.clock.advance(10_000);
    expect(pathsOf(call)).toEqual(['/book {"day":"tuesday"}', '/release {"booking":17,"day":"tuesday"}']);
    expect(call.events).toHaveLength(events);
    expectNothingLeft(call);
  });

  it('continues when the sound has no words', async () => {
    const call = await correct([book(CANCEL), release], { stt: ['book tuesday', ''] });
    await call.transport.silence(call.clock, 4000);
    expect(call.world.aborted).toBe(0);
    expect(interrupted(call)).toEqual([]);
    await call.hangUp();
  });
});

describe('a tool that has returned when the user continues the turn', () => {
  const llm = [ask('tuesday'), 'It is booked for tuesday, see you then.', ask('wednesday'), 'It is done.'];

  it('is undone', async () => {
    const call = await correct([book(UNDO), release], { afterMs: 1700, delayMs: 200, llm });
    await call.transport.silence(call.clock, 8000);
    expect(pathsOf(call)).toEqual([
      '/book {"day":"tuesday"}',
      '/release {"booking":17,"day":"tuesday"}',
      '/book {"day":"wednesday"}',
    ]);
    expect(resultsOf(call)).toEqual(['book: {"booking":17}', 'release: done', 'book: {"booking":17}']);
    // The request for the whole turn contains the undone call.
    const second = call.llm.requests.at(-2)?.messages ?? [];
    expect(
      second.flatMap((message) => ('toolCalls' in message ? (message.toolCalls ?? []) : [])),
    ).toMatchObject([{ name: 'book' }, { name: 'release', arguments: '{"day":"tuesday","booking":17}' }]);
    await call.hangUp();
  });

  it('is not undone by a later turn', async () => {
    const call = await correct([book(UNDO), release], { afterMs: 6000, delayMs: 200, llm });
    await call.transport.silence(call.clock, 8000);
    expect(pathsOf(call)).toEqual(['/book {"day":"tuesday"}', '/book {"day":"wednesday"}']);
    await call.hangUp();
  });
});

describe('a client tool', () => {
  it('is undone by another client tool', async () => {
    const tools = [
      clientTool('book', { dynamicParameters: [parameter('day')], ...UNDO }),
      clientTool('release', { dynamicParameters: [parameter('invocationId'), parameter('result')] }),
    ];
    const call = startToolCall({ stt: STT, llm: [ask('tuesday'), 'As you like.'], stage: { tools } });
    const invoked = () =>
      call.transport.messages.flatMap(({ what }) => (what.type === 'client_tool_invocation' ? [what] : []));
    await call.saySomething(500);
    await call.saySomething();
    const [booked] = invoked();
    const invocationId = booked?.invocationId ?? '';
    call.transport.say({ type: 'client_tool_result', invocationId, result: 'page 7' });
    await call.transport.silence(call.clock, 500);
    expect(invoked()[1]).toMatchObject({
      toolName: 'release',
      parameters: { invocationId, result: 'page 7' },
    });
    const undoing = invoked()[1]?.invocationId ?? '';
    call.transport.say({ type: 'client_tool_result', invocationId: undoing, result: 'closed' });
    await call.transport.silence(call.clock, 3000);
    expect(resultsOf(call).at(-1)).toBe('release: closed');
    expect(call.noted('tool_result_unexpected')).toEqual([]);
    await call.hangUp();
  });
});
