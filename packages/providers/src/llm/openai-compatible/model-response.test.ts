import { describe, expect, it } from '@jest/globals';
import { ModelResponse } from './model-response.ts';

const text = (content: string): string => JSON.stringify({ choices: [{ delta: { content } }] });
const STOP = JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] });
const modelResponse = (maxCharacters = 1000, toolsOffered = true): ModelResponse =>
  new ModelResponse('test', {
    limits: { maxResponseCharacters: maxCharacters, maxToolCalls: 3, maxArgumentCharacters: 100 },
    toolsOffered,
    confidential: () => ['the secret words'],
  });
const thrownBy = (work: () => unknown): unknown => {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
};

describe('ModelResponse', () => {
  it('returns the texts in order, without empty ones, and the last usage', () => {
    const whole = modelResponse();
    const usage = (n: number): string =>
      JSON.stringify({ choices: [], usage: { prompt_tokens: n, completion_tokens: n } });
    const events = [
      text(''),
      text('Hel'),
      usage(1),
      text('lo'),
      '{"choices":[{"delta":null}],"x":1}',
      STOP,
      usage(2),
      '[DONE]',
    ];
    expect([...whole.take(events)]).toEqual(['Hel', 'lo']);
    expect(whole).toMatchObject({ finished: true, complete: true, done: true });
    expect(whole.usage).toEqual({ type: 'usage', inputTokens: 2, outputTokens: 2 });
    expect(() => whole.assertWhole()).not.toThrow();
  });

  it('leaves out thinking, which does not begin the response', () => {
    const whole = modelResponse(5);
    expect([...whole.take([text('<think>Let me '), text('see.</think>\n')])]).toEqual([]);
    expect(whole.begun).toBe(false);
    expect([...whole.take([text('\nHi'), STOP])]).toEqual(['Hi']);
    expect(whole.begun).toBe(true);
  });

  it('reads the text of content in parts, without its thinking', () => {
    const parts = (...content: object[]): string => JSON.stringify({ choices: [{ delta: { content } }] });
    const whole = modelResponse();
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Let me see.' }] };
    expect([...whole.take([parts(thinking)])]).toEqual([]);
    expect(whole).toMatchObject({ begun: false, hasThought: true });
    const events = [parts(thinking, { type: 'text', text: 'Hel' }), text('lo'), STOP];
    expect([...whole.take(events)]).toEqual(['Hel', 'lo']);
    expect(() => whole.assertWhole()).not.toThrow();
  });

  it.each(['<tool_call>{"name":"look","arguments":{}}</tool_call>', '[TOOL_CALLS] [{"name":"look"}]'])(
    'reports that the server does not parse %s',
    (call) => {
      const whole = modelResponse();
      expect([...whole.take([text('One moment. '), ...Array.from(call, text), STOP])]).toEqual([
        'One moment. ',
      ]);
      const message = 'test: a tool call in the text: the server does not parse the tool calls of its model';
      expect(thrownBy(() => whole.assertWhole())).toMatchObject({ kind: 'malformed', message });
      const notOffered = modelResponse(1000, false);
      expect([...notOffered.take([text(`Well. ${call}`), STOP])]).toEqual(['Well. ']);
      expect(() => notOffered.assertWhole()).not.toThrow();
    },
  );

  it('returns held text at the end', () => {
    expect([...modelResponse().take([text('a <'), STOP])]).toEqual(['a ', '<']);
    expect([...modelResponse().take([text('a <'), '[DONE]'])]).toEqual(['a ', '<']);
  });

  it('passes assertWhole after a finish reason, even without [DONE]', () => {
    const whole = modelResponse();
    expect([...whole.take([text('Hi'), STOP])]).toEqual(['Hi']);
    expect(whole).toMatchObject({ finished: true, complete: false });
    expect(() => whole.assertWhole()).not.toThrow();
  });

  it('ignores empty finish reasons', () => {
    const piece = (content: string, reason: string): string =>
      JSON.stringify({ choices: [{ delta: { content }, finish_reason: reason }] });
    const whole = modelResponse();
    expect([...whole.take([piece('Hel', ''), piece('lo', '')])]).toEqual(['Hel', 'lo']);
    expect(whole.finished).toBe(false);
    expect([...whole.take([piece('', 'stop')])]).toEqual([]);
    expect(whole.finished).toBe(true);
  });

  it('fails assertWhole with "cut" without a finish reason or [DONE], and with "malformed" without events', () => {
    const cut = modelResponse();
    expect([...cut.take([text('Hi')])]).toEqual(['Hi']);
    expect(thrownBy(() => cut.assertWhole())).toMatchObject({ kind: 'cut' });
    expect(thrownBy(() => modelResponse().assertWhole())).toMatchObject({ kind: 'malformed' });
  });

  it('fails assertWhole with "refused" when the content filter left nothing of the response', () => {
    const FILTERED = JSON.stringify({ choices: [{ delta: {}, finish_reason: 'content_filter' }] });
    const blocked = modelResponse();
    expect([...blocked.take([text(''), FILTERED, '[DONE]'])]).toEqual([]);
    expect(thrownBy(() => blocked.assertWhole())).toMatchObject({
      kind: 'refused',
      message: "test: the provider's content filter blocked the response",
    });
    const shortened = modelResponse();
    expect([...shortened.take([text('Hi'), FILTERED, '[DONE]'])]).toEqual(['Hi']);
    expect(() => shortened.assertWhole()).not.toThrow();
  });

  it.each([
    ['reasoning_content', { reasoning_content: 'They greet me.' }, true],
    ['reasoning', { reasoning: 'They greet me.', content: '' }, true],
    ['<think>', { content: '<think>They' }, true],
    ['empty reasoning', { reasoning_content: '', reasoning: null }, false],
    ['reasoning that is no text', { reasoning: { effort: 'low' } }, false],
  ])('knows whether the model has thought by %s', (_, delta, hasThought) => {
    const silent = modelResponse();
    expect([...silent.take([JSON.stringify({ choices: [{ delta }] })])]).toEqual([]);
    expect(silent).toMatchObject({ begun: false, hasThought });
  });

  it('fails assertWhole with "refused" when the limit of tokens left nothing of the response', () => {
    const LENGTH = JSON.stringify({ choices: [{ delta: {}, finish_reason: 'length' }] });
    const stopped = (event: string): unknown => {
      const whole = modelResponse();
      expect([...whole.take([event, LENGTH, '[DONE]'])]).toEqual([]);
      return thrownBy(() => whole.assertWhole());
    };
    expect(stopped(text(''))).toMatchObject({
      kind: 'refused',
      message: 'test: the model reached the token limit before it responded',
    });
    expect(stopped(text('<think>They greet me.'))).toMatchObject({
      message:
        'test: the model reached the token limit before it responded: the model was still thinking; ' +
        'to turn thinking off, see LLM_EXTRA_BODY',
    });
    const shortened = modelResponse();
    expect([...shortened.take([text('Hi'), LENGTH])]).toEqual(['Hi']);
    expect(() => shortened.assertWhole()).not.toThrow();
  });

  it('truncates the text at the maximum number of characters', () => {
    const long = modelResponse(5);
    expect([...long.take([text('abc'), text('def'), text('ghi')])]).toEqual(['abc', 'de']);
    expect(long).toMatchObject({ complete: true, done: false });
  });

  describe('with tool calls', () => {
    const called = (events: readonly unknown[], toolsOffered = true): unknown => {
      const whole = modelResponse(1000, toolsOffered);
      expect([...whole.take(events.map((event) => JSON.stringify(event)))]).toEqual([]);
      return whole.takeToolCalls();
    };
    const delta = (...toolCalls: object[]): object => ({
      choices: [{ delta: { content: null, tool_calls: toolCalls } }],
    });
    const FINISH = { choices: [{ delta: {}, finish_reason: 'tool_calls' }] };
    const named = (name: string, args = ''): object => ({ name, arguments: args });
    const WEATHER = { name: 'weather', arguments: '{"city":"Oslo"}' };
    const TIME = { name: 'time', arguments: '{"zone":1}' };

    it('assembles several calls from interleaved pieces', () => {
      const calls = called([
        delta({ index: 0, id: 'a', type: 'function', function: named('weather') }),
        delta({ index: 0, function: { arguments: '{"city"' } }),
        delta({ index: 1, id: 'b', type: 'function', function: named('time') }),
        delta(
          { index: 0, function: { arguments: ':"Oslo"}' } },
          { index: 1, function: { arguments: '{"zone":' } },
        ),
        delta({ index: 1, id: null, function: { name: null, arguments: '1}' } }),
        FINISH,
      ]);
      expect(calls).toEqual([
        { id: 'a', ...WEATHER },
        { id: 'b', ...TIME },
      ]);
    });

    it.each([
      [
        'whole calls, all with the index 0',
        [delta({ index: 0, id: 'a', function: WEATHER }), delta({ index: 0, id: 'b', function: TIME })],
      ],
      [
        'whole calls without an index, in one event',
        [delta({ id: 'a', function: WEATHER }, { id: 'b', function: TIME })],
      ],
      [
        'a new id with every piece',
        [
          delta({ index: 0, id: 'a', function: named('weather') }),
          delta({ index: 0, id: 'x', function: { arguments: '{"city":' } }),
          delta({ index: 0, id: 'y', function: { name: '', arguments: '"Oslo"}' } }),
          delta({ index: 1, id: 'b', function: TIME }),
        ],
      ],
      [
        'id and name with every piece',
        [
          delta({ index: 0, id: 'a', function: named('weather', '{"city":') }),
          delta({ index: 0, id: 'a', function: named('weather', '"Oslo"}') }),
          delta({ index: 0, id: 'b', function: TIME }),
        ],
      ],
    ])('separates calls when the server sends %s', (_, events) => {
      expect(called([...events, FINISH])).toEqual([
        { id: 'a', ...WEATHER },
        { id: 'b', ...TIME },
      ]);
    });

    it('generates missing IDs, and adds empty arguments when there are none', () => {
      const [first, second] = called([
        delta({ index: 0, function: WEATHER }),
        delta({ index: 0, function: named('stop') }),
        FINISH,
      ]) as { id: string }[];
      expect(first).toEqual({ id: expect.stringMatching(/^call_./), ...WEATHER });
      expect(second).toEqual({ id: expect.stringMatching(/^call_./), name: 'stop', arguments: '{}' });
      expect(first?.id).not.toBe(second?.id);
    });

    it('returns no calls before the response is finished, none twice, and none when no tools were offered', () => {
      const event = JSON.stringify(delta({ index: 0, id: 'a', function: WEATHER }));
      const whole = modelResponse();
      expect([...whole.take([event])]).toEqual([]);
      expect(whole.begun).toBe(true);
      expect(whole.takeToolCalls()).toEqual([]);
      expect([...whole.take([STOP])]).toEqual([]);
      expect(whole.takeToolCalls()).toHaveLength(1);
      expect(whole.takeToolCalls()).toEqual([]);
      expect(called([delta({ index: 0, id: 'a', function: WEATHER }), FINISH], false)).toEqual([]);
    });

    it('fails assertWhole if there is nothing but a call although no tools were offered', () => {
      const call = JSON.stringify(delta({ index: 0, id: 'a', function: WEATHER }));
      const silent = modelResponse(1000, false);
      expect([...silent.take([call, STOP])]).toEqual([]);
      expect(thrownBy(() => silent.assertWhole())).toMatchObject({
        kind: 'malformed',
        message: expect.stringContaining('a tool call, although no tools were offered'),
      });
      const speaks = modelResponse(1000, false);
      expect([...speaks.take([text('Hi'), call, STOP])]).toEqual(['Hi']);
      expect(() => speaks.assertWhole()).not.toThrow();
    });

    it('returns no calls when the text exceeds the maximum length', () => {
      const long = modelResponse(2);
      expect([...long.take([JSON.stringify(delta({ id: 'a', function: WEATHER })), text('abc')])]).toEqual([
        'ab',
      ]);
      expect(long.takeToolCalls()).toEqual([]);
    });

    it.each([
      ['no name', [delta({ index: 0, id: 'a', function: { arguments: '{}' } }), FINISH]],
      ['arguments too long', [delta({ index: 0, function: named('a', 'x'.repeat(101)) })]],
      ['more calls than allowed', [0, 1, 2, 3].map((index) => delta({ index, function: named('a') }))],
      ['an event is not a chat completion chunk', [delta({ index: 'first' })]],
    ])('throws "malformed": %s', (what, events) => {
      expect(thrownBy(() => called(events))).toMatchObject({
        kind: 'malformed',
        message: expect.stringContaining(what),
      });
    });
  });

  it.each([
    '<html>',
    '[]',
    '42',
    '{"choices":{}}',
    '{"choices":[{"delta":{"content":["a"]}}]}',
    '{"usage":{"prompt_tokens":"1"}}',
  ])('throws "malformed" for the event %s, without the event in the message', (event) => {
    const error = thrownBy(() => [...modelResponse().take([event])]);
    expect(error).toMatchObject({
      kind: 'malformed',
      message: 'test: an event is not a chat completion chunk',
    });
  });

  it('throws the error that an event reports in the middle of a response, without confidential text', () => {
    const event = JSON.stringify({ error: { message: 'overloaded by the secret words' } });
    const error = thrownBy(() => [...modelResponse().take([text('a'), event])]);
    expect(error).toMatchObject({
      kind: 'refused',
      message: 'test: failed while responding: overloaded by […]',
    });
  });

  it.each([
    [{ message: 'overloaded' }, true],
    [{ message: 'overloaded', code: 503 }, true],
    [{ message: 'too many tokens', code: 400 }, false],
  ])('says whether the error %j in the middle of a response may pass', (error, retryable) => {
    const event = JSON.stringify({ choices: null, error });
    expect(thrownBy(() => [...modelResponse().take([event])])).toMatchObject({ retryable });
  });

  it('accepts null for choices and counts of tokens, and arguments that are an object', () => {
    const whole = modelResponse();
    const delta = { tool_calls: [{ id: 'a', function: { name: 'book', arguments: { guests: 4 } } }] };
    const events = [
      JSON.stringify({ choices: [{ delta, finish_reason: 'tool_calls' }] }),
      JSON.stringify({ choices: null, usage: { prompt_tokens: 7, completion_tokens: null } }),
    ];
    expect([...whole.take(events)]).toEqual([]);
    expect(whole.takeToolCalls()).toEqual([{ id: 'a', name: 'book', arguments: '{"guests":4}' }]);
    expect(whole.usage).toEqual({ type: 'usage', inputTokens: 7, outputTokens: 0 });
  });
});
