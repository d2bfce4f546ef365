import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { isLogLine, LineBudget, plainLine, warningOf } from './warning-lines.ts';

describe('warningOf', () => {
  it.each([
    ['an info line', '{"level":30,"msg":"call joined"}', undefined],
    ['a warning', '{"level":40,"msg":"call is slow"}', 'call is slow'],
    [
      'an error with its cause',
      '{"level":50,"msg":"no reply","err":{"message":"timeout"}}',
      'no reply: timeout',
    ],
    ['a crash before there is a logger', 'SyntaxError: missing )', 'SyntaxError: missing )'],
    ['an empty line', '  ', undefined],
    ['JSON that is no log line', '[1,2]', '[1,2]'],
  ])('%s', (_, line, expected) => {
    expect(warningOf(line)).toBe(expected);
  });

  it('shortens to one line', () => {
    const shown = warningOf(JSON.stringify({ level: 50, msg: `a\nb ${'x'.repeat(1_000)}` })) ?? '';
    expect(shown.startsWith('a b xxx')).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(301);
  });
});

describe('plainLine', () => {
  it('reads a log record, and leaves other lines as they are', () => {
    const record =
      '{"level":60,"msg":"cannot start","err":{"message":"bad configuration:\\n  A is required"}}';
    expect(plainLine(record)).toBe('cannot start: bad configuration:\n  A is required');
    expect(isLogLine(record)).toBe(true);
    expect(plainLine('    at main.ts:3')).toBe('    at main.ts:3');
    expect(isLogLine('{"answer":42}')).toBe(false);
  });
});

describe('LineBudget', () => {
  it('lets so many through per window and then says how many it held back', async () => {
    const clock = new VirtualClock();
    const budget = new LineBudget(clock, 2, 1_000);
    expect([1, 2, 3, 4, 5].map(() => budget.take().show)).toEqual([true, true, false, false, false]);
    await clock.advance(1_000);
    expect(budget.take()).toEqual({ show: true, heldBack: 3 });
    expect(budget.take()).toEqual({ show: true, heldBack: 0 });
  });
});
