import { describe, expect, it } from '@jest/globals';
import { refusal, refusalText } from './refusal.ts';

describe('refusal', () => {
  it.each([
    ['20', 20_000],
    ['1.5', 1500],
    ['0', 0],
    ['', null],
    ['soon', null],
    ['Wed, 21 Oct 2026 07:28:00 GMT', null],
  ])('reads the time to wait from Retry-After: %s', (retryAfter, retryAfterMs) => {
    expect(refusal('test', 429, '', retryAfter)).toMatchObject({ retryable: true, retryAfterMs });
    expect(refusal('test', 429, '')).toMatchObject({ retryAfterMs: null });
  });
});

describe('refusalText', () => {
  it.each([
    ['{"error":{"message":"model not found","type":"x"}}', 'model not found'],
    ['{"error":"model not found"}', 'model not found'],
    ['{"detail":"Not Found"}', 'Not Found'],
    ['{"message":"slow down"}', 'slow down'],
    ['<html>\n<b>Bad\tGateway</b>', '<html> <b>Bad Gateway</b>'],
    ['{"anything":"else"}', ''],
    ['', ''],
  ])('extracts the message of %s', (body, message) => {
    expect(refusalText(body, [])).toBe(message);
  });

  it('replaces every occurrence of confidential text', () => {
    const body = JSON.stringify({
      error: { message: 'key sk-1 is bad; sk-1 again; input was: Call me at 555.' },
    });
    expect(refusalText(body, ['sk-1', ' Call me at 555. ', ''])).toBe(
      'key […] is bad; […] again; input was: […]',
    );
  });

  it('truncates a long message after 200 characters', () => {
    expect(refusalText('word '.repeat(500), [])).toHaveLength(201);
  });
});
