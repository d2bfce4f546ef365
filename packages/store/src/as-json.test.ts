import { describe, expect, it } from '@jest/globals';
import { asJson, asText } from './as-json.ts';

describe('asJson and asText', () => {
  it('replace characters that PostgreSQL rejects in values and keys', () => {
    const value = {
      'a\0': 'x\0y',
      lone: '\ud800 and \udc00',
      pair: '🙂',
      escaped: '\\u0000',
      quote: '"\n\\',
    };
    expect(JSON.parse(asJson(value))).toEqual({
      'a\ufffd': 'x\ufffdy',
      lone: '\ufffd and \ufffd',
      pair: '🙂',
      escaped: '\\u0000',
      quote: '"\n\\',
    });
  });

  it('replace characters that PostgreSQL rejects in plain text', () => {
    expect(asText('a\0b\ud800c🙂')).toBe('a\ufffdb\ufffdc🙂');
  });
});
