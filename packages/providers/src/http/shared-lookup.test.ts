import { AsyncLocalStorage } from 'node:async_hooks';
import type { LookupFunction } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createSharedLookup } from './shared-lookup.ts';

type Callback = Parameters<LookupFunction>[2];

describe('createSharedLookup', () => {
  it('asks once for concurrent look-ups of a name, and again for later ones', () => {
    const asked: { hostname: string; answer: Callback }[] = [];
    const lookup = createSharedLookup((hostname, _options, answer) => void asked.push({ hostname, answer }));
    const answers: unknown[] = [];
    const take = (who: string): Callback => {
      return (error, address) => void answers.push([who, error?.message ?? address]);
    };
    lookup('a.example', { all: true }, take('first'));
    lookup('a.example', { all: true }, take('second'));
    lookup('b.example', { all: true }, take('third'));
    expect(asked.map(({ hostname }) => hostname)).toEqual(['a.example', 'b.example']);
    asked[1]?.answer(null, [{ address: '192.0.2.1', family: 4 }]);
    asked[0]?.answer(new Error('no response'), []);
    expect(answers).toEqual([
      ['third', [{ address: '192.0.2.1', family: 4 }]],
      ['first', 'no response'],
      ['second', 'no response'],
    ]);
    lookup('a.example', { all: true }, take('fourth'));
    expect(asked).toHaveLength(3);
  });

  it('answers each request in its own async context', () => {
    let answer: Callback = () => undefined;
    const lookup = createSharedLookup((_hostname, _options, callback) => void (answer = callback));
    const requests = new AsyncLocalStorage<string>();
    const contexts: (string | undefined)[] = [];
    for (const request of ['one', 'two'])
      requests.run(request, () => lookup('a.example', {}, () => void contexts.push(requests.getStore())));
    answer(null, '192.0.2.1', 4);
    expect(contexts).toEqual(['one', 'two']);
  });
});
