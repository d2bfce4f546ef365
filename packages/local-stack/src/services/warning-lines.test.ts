import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { isLogLine, LineRateLimit, plainLine, warningOf } from './warning-lines.ts';

describe('warningOf', () => {
  it.each([
    ['an info line', '{"level":30,"msg":"call joined"}', undefined],
    ['a warning', '{"level":40,"msg":"call is slow"}', 'call is slow'],
    [
      'an error with its cause',
      '{"level":50,"msg":"no reply","err":{"message":"timeout"}}',
      'no reply: timeout',
    ],
    [
      'a delivery with its failure',
      '{"level":40,"msg":"delivery failed permanently","failure":"HTTP 404"}',
      'delivery failed permanently: HTTP 404',
    ],
    ['a crash before the logger exists', 'SyntaxError: missing )', 'SyntaxError: missing )'],
    ['an empty line', '  ', undefined],
    ['JSON that is not a log record', '[1,2]', '[1,2]'],
  ])('returns the message of a warning, if any, for %s', (_, line, expected) => {
    expect(warningOf(line)).toBe(expected);
  });

  it('includes the causes of an error that its message does not name', () => {
    const full = { message: 'too many connections for role "calls"' };
    const down = { message: 'the database is not available', cause: full };
    expect(warningOf(JSON.stringify({ level: 40, msg: 'request refused', err: down }))).toBe(
      'request refused: the database is not available: too many connections for role "calls"',
    );
    const named = { message: `DATABASE_URL: ${down.message}: ${full.message}`, cause: down };
    expect(warningOf(JSON.stringify({ level: 60, msg: 'failed to start', err: named }))).toBe(
      `failed to start: ${named.message}`,
    );
  });

  it('shortens a message to one line of bounded length', () => {
    const shown = warningOf(JSON.stringify({ level: 50, msg: `a\nb ${'x'.repeat(1_000)}` })) ?? '';
    expect(shown.startsWith('a b xxx')).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(301);
  });
});

describe('plainLine', () => {
  it('formats a log record, and returns other lines unchanged', () => {
    const record =
      '{"level":60,"msg":"cannot start","err":{"message":"bad configuration:\\n  A is required"}}';
    expect(plainLine(record)).toBe('cannot start: bad configuration:\n  A is required');
    expect(isLogLine(record)).toBe(true);
    expect(plainLine('    at main.ts:3')).toBe('    at main.ts:3');
    expect(isLogLine('{"answer":42}')).toBe(false);
  });
});

describe('LineRateLimit', () => {
  it('limits the lines per window, and reports how many it suppressed', async () => {
    const clock = new VirtualClock();
    const budget = new LineRateLimit(clock, 2, 1_000);
    expect([1, 2, 3, 4, 5].map(() => budget.take().show)).toEqual([true, true, false, false, false]);
    await clock.advance(1_000);
    expect(budget.take()).toEqual({ show: true, heldBack: 3 });
    expect(budget.take()).toEqual({ show: true, heldBack: 0 });
  });
});
