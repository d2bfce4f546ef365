import { describe, expect, it } from '@jest/globals';
import { refusalText } from './refusal.ts';

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
