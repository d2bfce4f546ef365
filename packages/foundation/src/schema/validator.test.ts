import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type, type TSchema } from 'typebox';
import { DateTime, HttpUrl } from './objects.ts';
import { compileValidator, validatorOf } from './validator.ts';

describe('DateTime', () => {
  const fits = (text: string): boolean => compileValidator('time', DateTime).issues(text).length === 0;

  it.each(['2026-03-02T12:00:00Z', '2026-03-02t12:00:00.123456+02:00', '0000-01-01T00:00:00Z'])(
    'accepts %s',
    (text) => expect(fits(text)).toBe(true),
  );

  it.each([
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['a time beyond the year 9999', '9999-12-31T23:59:59-00:01'],
    ['a date that does not exist', '2026-02-29T12:00:00Z'],
    ['a time without an offset', '2026-03-02T12:00:00'],
  ])('rejects %s: %s', (_, text) => expect(fits(text)).toBe(false));
});

describe('validatorOf', () => {
  it('treats a value as invalid when the schema makes Ajv return a promise', async () => {
    const validate = new Ajv2020().compile({ $async: true, type: 'string' });
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const validator = validatorOf('value', validate as never);
    expect(validator.issues('text')).toHaveLength(1);
    expect(validator.issues(5)).toHaveLength(1);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('a validation message', () => {
  const messageOf = (schema: TSchema, value: unknown): string | undefined =>
    compileValidator('value', schema).issues(value)[0]?.message;

  it.each([
    [Type.Integer(), 'x', 'must be an integer'],
    [Type.Number({ maximum: 1 }), 2, 'must be <= 1 (got 2)'],
    [Type.Integer({ multipleOf: 10 }), 5, 'must be multiple of 10 (got 5)'],
    [Type.String({ minLength: 1 }), '', 'must have at least 1 character'],
    [Type.Array(Type.String(), { maxItems: 2 }), ['a', 'b', 'c'], 'must have at most 2 items'],
    [Type.Record(Type.String(), Type.String(), { maxProperties: 0 }), { a: 'a' }, 'must have at most 0 keys'],
    [Type.String({ format: 'uuid' }), 'x', 'must be a UUID'],
    [DateTime, 'now', 'must be a time such as 2026-03-02T12:00:00Z'],
    [DateTime, 5, 'must be a string, and must be a time such as 2026-03-02T12:00:00Z'],
    [HttpUrl, true, 'must be a string, and must be an http:// or https:// URL'],
    [Type.Union([HttpUrl, Type.Null()]), 5, 'must be a string, and must be an http:// or https:// URL'],
  ])('states what the value must be: case %#', (schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message);
  });
});
