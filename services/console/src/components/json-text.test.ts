import { describe, expect, it } from '@jest/globals';
import { jsonOrText, valueText } from './json-text.ts';

describe('valueText', () => {
  it.each(['hello', '17', '"quoted"', 'true', '', 17, true, null, { a: 1 }, ['a']])(
    'returns text from which jsonOrText parses %j back',
    (value) => {
      expect(jsonOrText(valueText(value))).toEqual(value);
    },
  );

  it('shows plain text without quotes', () => {
    expect(valueText('hello')).toBe('hello');
    expect(valueText('17')).toBe('"17"');
  });
});
