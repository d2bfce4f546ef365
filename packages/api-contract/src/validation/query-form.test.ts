import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { queryForm } from './query-form.ts';

const read = queryForm(
  Type.Object({
    ids: Type.Optional(Type.Array(Type.String())),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
    search: Type.Optional(Type.String()),
  }),
);

describe('a query', () => {
  it('has lists by repetition and by commas', () => {
    expect(read({ ids: 'a' })).toEqual({ ids: ['a'] });
    expect(read({ ids: ['a', 'b,c'] })).toEqual({ ids: ['a', 'b', 'c'] });
  });

  it('has maps by brackets and by dots, keys being taken as they are', () => {
    expect(read({ 'metadata[plan]': 'gold', 'metadata.a.b': 'c', 'metadata[x]y]': 'z' })).toEqual({
      metadata: { plan: 'gold', 'a.b': 'c', 'x]y': 'z' },
    });
    const odd = read({ 'metadata[__proto__]': 'v' });
    expect(Object.entries(odd['metadata'] as object)).toEqual([['__proto__', 'v']]);
  });

  it('has known parameters as they are, for the validator to check, and no unknown ones', () => {
    const query = { search: 'a,b', metadata: 'x', metadatax: 'y', 'ids[]': 'z', toString: 'a' };
    expect(read(query)).toEqual({ search: 'a,b', metadata: 'x' });
    expect(read({ 'metadata[k]': 'v', metadata: 'x' })).toEqual({ metadata: 'x' });
  });
});
