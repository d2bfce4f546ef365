import { describe, expect, it } from '@jest/globals';
import { notJson } from './not-json.ts';

describe('notJson', () => {
  it.each([
    ['hello', `Unexpected token 'h' in "hello".`],
    ['{"a": abc}', `Unexpected token 'a' in "{"a": abc}".`],
    ['{', `Expected property name or '}' in JSON at position 1 (line 1 column 2).`],
    ['', 'Unexpected end of JSON input.'],
  ])('says what is wrong with %j', (body, reason) => {
    let detail = '';
    try {
      JSON.parse(body);
    } catch (thrown) {
      detail = notJson(thrown);
    }
    expect(detail).toBe(`The request body is not valid JSON: ${reason}`);
  });
});
