import { describe, expect, it } from '@jest/globals';
import { Answer } from './answer.ts';

const text = (content: string): string => JSON.stringify({ choices: [{ delta: { content } }] });
const STOP = JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] });
const answer = (maxCharacters = 1000): Answer => new Answer('test', maxCharacters, ['the secret words']);
const thrownBy = (work: () => unknown): unknown => {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
};

describe('Answer', () => {
  it('gives the texts in order, without the empty ones, and the usage that came last', () => {
    const whole = answer();
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

  it('is whole after a finish reason, even without the last line', () => {
    const whole = answer();
    expect([...whole.take([text('Hi'), STOP])]).toEqual(['Hi']);
    expect(whole).toMatchObject({ finished: true, complete: false });
    expect(() => whole.assertWhole()).not.toThrow();
  });

  it('is cut without either, and malformed without a single event', () => {
    const cut = answer();
    expect([...cut.take([text('Hi')])]).toEqual(['Hi']);
    expect(thrownBy(() => cut.assertWhole())).toMatchObject({ fault: 'cut' });
    expect(thrownBy(() => answer().assertWhole())).toMatchObject({ fault: 'malformed' });
  });

  it('ends at the limit of characters', () => {
    const long = answer(5);
    expect([...long.take([text('abc'), text('def'), text('ghi')])]).toEqual(['abc', 'de']);
    expect(long).toMatchObject({ complete: true, done: false });
  });

  it.each([
    '<html>',
    '[]',
    '42',
    '{"choices":{}}',
    '{"choices":[{"delta":{"content":["a"]}}]}',
    '{"usage":{"prompt_tokens":"1"}}',
  ])('calls %s malformed, without repeating it', (event) => {
    const fault = thrownBy(() => [...answer().take([event])]);
    expect(fault).toMatchObject({
      fault: 'malformed',
      message: 'test: an event that is not a chat completion chunk',
    });
  });

  it('passes on an error that comes in the middle, without what is confidential', () => {
    const event = JSON.stringify({ error: { message: 'overloaded by the secret words' } });
    const fault = thrownBy(() => [...answer().take([text('a'), event])]);
    expect(fault).toMatchObject({
      fault: 'refused',
      message: 'test: failed while answering: overloaded by […]',
    });
  });
});
