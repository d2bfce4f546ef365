import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { queryForm } from './query-form.ts';

const read = queryForm(
  Type.Object({
    ids: Type.Optional(Type.Array(Type.String())),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
    search: Type.Optional(Type.String()),
    size: Type.Optional(Type.Integer()),
    share: Type.Optional(Type.Number()),
    deep: Type.Optional(Type.Boolean()),
    pageSize: Type.Optional(Type.Integer()),
    minimum_severity: Type.Optional(Type.String()),
    dataFields: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
);

describe('queryForm', () => {
  it('reads lists from repeated parameters and from commas', () => {
    expect(read({ ids: 'a' })).toEqual({ ids: ['a'] });
    expect(read({ ids: ['a', 'b,c'] })).toEqual({ ids: ['a', 'b', 'c'] });
  });

  it('reads maps from brackets and dots, with unchanged keys', () => {
    expect(read({ 'metadata[plan]': 'gold', 'metadata.a.b': 'c', 'metadata[x]y]': 'z' })).toEqual({
      metadata: { plan: 'gold', 'a.b': 'c', 'x]y': 'z' },
    });
    const odd = read({ 'metadata[__proto__]': 'v' });
    expect(Object.entries(odd['metadata'] as object)).toEqual([['__proto__', 'v']]);
  });

  it('reads numbers and booleans from valid text, and leaves other text unchanged', () => {
    expect(read({ size: '20', share: '-0.5', deep: 'true' })).toEqual({ size: 20, share: -0.5, deep: true });
    expect(['True', 'False', 'false'].map((deep) => read({ deep })['deep'])).toEqual([true, false, false]);
    for (const size of ['Infinity', 'NaN', '1e309', '9'.repeat(400), '0x10', ' 5', '', '--1', '5.']) {
      expect(read({ size, deep: size })).toEqual({ size, deep: size });
    }
    expect(read({ size: ['1', '2'], search: '5', ids: '5' })).toEqual({
      size: ['1', '2'],
      search: '5',
      ids: ['5'],
    });
  });

  it('reads names in snake_case and lowerCamelCase, but not both for one parameter', () => {
    const spelled = read({ page_size: '5', minimumSeverity: 'debug', 'data_fields[my_key]': 'a' });
    expect(spelled).toEqual({ pageSize: 5, minimum_severity: 'debug', dataFields: { my_key: 'a' } });
    expect(read({ page_size: '5', pageSize: '6' })).toEqual({ pageSize: ['5', '6'] });
  });

  it('passes invalid known parameters on to the validator, and drops unknown ones', () => {
    const query = { search: 'a,b', metadata: 'x', metadatax: 'y', 'ids[]': 'z', toString: 'a' };
    expect(read(query)).toEqual({ search: 'a,b', metadata: 'x' });
    expect(read({ 'metadata[k]': 'v', metadata: 'x' })).toEqual({ metadata: 'x' });
  });
});
