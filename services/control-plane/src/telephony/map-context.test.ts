import { describe, expect, it } from '@jest/globals';
import { mapContext } from './map-context.ts';

describe('mapContext', () => {
  it('maps dotted paths of the request to dotted paths of the context', () => {
    const request = { From: '+1', payload: { to: '+2', custom: { plan: 'gold' } }, 'a.b': 'whole' };
    const mapping = { From: 'user.phone', 'payload.custom': 'user.extra', 'payload.to': 'to', 'a.b': 'c' };
    expect(mapContext(mapping, request)).toEqual({
      user: { phone: '+1', extra: { plan: 'gold' } },
      to: '+2',
      c: 'whole',
    });
    expect(request.payload.custom).toEqual({ plan: 'gold' });
  });

  it('omits missing values', () => {
    expect(mapContext({ Missing: 'a', 'From.number': 'b', toString: 'c' }, { From: 'x' })).toEqual({});
    expect(mapContext({ From: 'a' }, null)).toEqual({});
  });

  it('does not pollute prototypes', () => {
    const context = mapContext(
      { From: '__proto__.polluted', To: 'constructor.prototype.polluted' },
      {
        From: 'x',
        To: 'y',
      },
    );
    expect(Object.keys(context)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('uses the later of two conflicting paths', () => {
    expect(mapContext({ a: 'x', b: 'x.y' }, { a: 1, b: 2 })).toEqual({ x: { y: 2 } });
    expect(mapContext({ b: 'x.y', a: 'x' }, { a: 1, b: 2 })).toEqual({ x: 1 });
  });
});
