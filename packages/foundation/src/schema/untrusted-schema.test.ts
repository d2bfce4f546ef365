import { describe, expect, it } from '@jest/globals';
import { compileUntrustedSchema, UntrustedSchemaError, untrustedSchemaIssue } from './untrusted-schema.ts';

function nested(depth: number): unknown {
  let schema: unknown = { type: 'string' };
  for (let i = 0; i < depth; i += 1) schema = { items: schema };
  return schema;
}

/** d0 refers twice to d1, d1 twice to d2 and so on, so that one value needs 2^levels checks. */
function doubling(levels: number): unknown {
  const $defs: Record<string, unknown> = { [`d${levels}`]: { type: 'string' } };
  for (let i = 0; i < levels; i += 1) {
    const next = { $ref: `#/$defs/d${i + 1}` };
    $defs[`d${i}`] = { allOf: [next, { ...next }] };
  }
  return { $ref: '#/$defs/d0', $defs };
}

describe('compileUntrustedSchema', () => {
  it.each([
    [{}],
    [{ type: 'string', enum: ['a', 'b'], description: 'one of two' }],
    [{ type: 'object', properties: { pattern: { type: 'string' }, $id: {} }, required: ['pattern'] }],
    [{ type: 'object', properties: { $async: { type: 'boolean' } }, $defs: { $async: {} } }],
    [{ type: 'array', items: { $ref: '#/$defs/size' }, $defs: { size: { type: 'integer', minimum: 1 } } }],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'number' }],
    [{ type: 'string', nullable: true, pattern: '^[\\p{L}\\d ]+$' }],
    [{ id: 'https://example.com/draft-4', properties: { id: { id: '#id', type: 'string' } } }],
    [nested(10)],
  ])('accepts %j', (schema) => {
    expect(untrustedSchemaIssue(schema)).toBeNull();
    expect(() => compileUntrustedSchema('value', schema)).not.toThrow();
  });

  it.each([
    ['an object', 'string'],
    ['an object', []],
    ['not a valid JSON Schema at /type', { type: 'text' }],
    ['not a valid JSON Schema', { properties: [] }],
    ['not a valid JSON Schema', { required: 'all' }],
    ['"#/$defs/…" only', { $ref: 'https://example.com/schema.json' }],
    ['"#/$defs/…" only', { $ref: '#/properties/a', properties: { a: {} } }],
    ['not there', { $ref: '#/$defs/a' }],
    ['not there', { $ref: '#/$defs/constructor', $defs: {} }],
    ['refer to itself', { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } }],
    ['must not use $id', { $id: 'https://example.com/mine' }],
    ['must not use $dynamicRef', { items: { $dynamicRef: '#meta' } }],
    ['must not use $async', { $async: true }],
    ['must not use $async', { $async: 1, type: 'object' }],
    ['must not use $async', { properties: { a: { $async: true } } }],
    ['must not use $async', { $ref: '#/$defs/a', $defs: { a: { $async: true } } }],
    ['nullable without a type', { nullable: true }],
    ['enum without values', { properties: { city: { enum: [] } } }],
    ['pattern', { type: 'string', pattern: '(' }],
    ['pattern', { type: 'string', pattern: '^(?=a)a$' }],
    ['pattern', { patternProperties: { '(a)\\1': {} } }],
    ['at most 65536', { description: 'x'.repeat(70_000) }],
    ['levels deep', nested(100_000)],
    ['too large', doubling(20)],
  ])('rejects an invalid schema with an issue that contains: %s', (reason, schema) => {
    expect(untrustedSchemaIssue(schema)).toContain(reason);
    expect(() => compileUntrustedSchema('value', schema)).toThrow(UntrustedSchemaError);
  });

  it('reports every issue of a value with its path', () => {
    const validator = compileUntrustedSchema('context', {
      type: 'object',
      properties: { name: { type: 'string', pattern: '^[A-Z]' }, size: { $ref: '#/$defs/size' } },
      required: ['name', 'colour'],
      $defs: { size: { type: 'integer' } },
    });
    expect(validator.issues({ name: 'Ada', size: 3, colour: null })).toEqual([]);
    expect(
      validator
        .issues({ name: 'ada', size: 'x' })
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['colour', 'name', 'size']);
  });

  it.each([
    [0.01, 19.99, true],
    [0.01, 123_456.78, true],
    [0.1, 0.3, true],
    [5, 15, true],
    [0.01, 19.995, false],
    [5, 7, false],
  ])('knows whether a decimal number is a multiple: of %d, %d is: %j', (multipleOf, value, isMultiple) => {
    const issues = compileUntrustedSchema('value', { multipleOf }).issues(value);
    expect(issues).toHaveLength(isMultiple ? 0 : 1);
  });

  it('matches patterns in linear time', () => {
    const validator = compileUntrustedSchema('value', { type: 'string', pattern: '^(a+)+$' });
    const before = process.threadCpuUsage();
    expect(validator.issues(`${'a'.repeat(5000)}!`)).toHaveLength(1);
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it('limits the work of a validation: values times the subschemas that apply to each', () => {
    const schema = { items: { anyOf: Array.from({ length: 900 }, () => ({ type: 'string' })) } };
    const validator = compileUntrustedSchema('value', schema);
    expect(validator.issues(Array.from({ length: 200 }, () => 5)).length).toBeGreaterThan(1);
    const tooMany = validator.issues(Array.from({ length: 300 }, () => 5));
    expect(tooMany).toEqual([{ path: '', message: expect.stringContaining('values') }]);
    const wide = Array.from({ length: 1000 }, (_, i): [string, object] => [`p${i}`, { type: 'string' }]);
    const manyProperties = compileUntrustedSchema('value', { properties: Object.fromEntries(wide) });
    expect(manyProperties.issues(Object.fromEntries(wide.map(([name]) => [name, 'x'])))).toEqual([]);
    const unique = compileUntrustedSchema('value', { uniqueItems: true });
    expect(unique.issues(Array.from({ length: 900 }, (_, i) => [i]))).toEqual([]);
    expect(unique.issues(Array.from({ length: 2000 }, (_, i) => [i]))).toHaveLength(1);
    expect(() => compileUntrustedSchema('value', {}).parse(Array.from({ length: 10_000 }, () => 5))).toThrow(
      'values',
    );
  });

  it('ignores inherited properties of a value', () => {
    const required = ['constructor', 'toString', 'name'];
    const paths = compileUntrustedSchema('value', { required })
      .issues({ name: 1 })
      .map(({ path }) => path);
    expect(paths).toEqual(['constructor', 'toString']);
  });
});
