import { expect, it } from '@jest/globals';
import { newId } from './ids.ts';

it('makes ids in order, also within a millisecond and beyond one pool of random bytes', () => {
  const ids = Array.from({ length: 2000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u);
  const ageMs = Date.now() - Number.parseInt(ids[0]!.replaceAll('-', '').slice(0, 12), 16);
  expect(ageMs).toBeGreaterThanOrEqual(0);
  expect(ageMs).toBeLessThan(60_000);
});
