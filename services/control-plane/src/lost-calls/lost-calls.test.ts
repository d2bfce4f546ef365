import { describe, expect, it } from '@jest/globals';
import { MissingWorkers } from './lost-calls.ts';

describe('MissingWorkers', () => {
  it('reports only workers that were missing for the whole period', () => {
    const missing = new MissingWorkers(1000);
    const live = new Set(['a', 'b']);
    expect(missing.look(['a', 'b', 'c'], live, 0)).toEqual([]);
    expect(missing.look(['a', 'b', 'c'], live, 999)).toEqual([]);
    expect(missing.look(['a', 'b', 'c'], live, 1000)).toEqual(['c']);
    // The worker registered again and is lost again.
    expect(missing.look(['c'], new Set(['c']), 1100)).toEqual([]);
    expect(missing.look(['c'], live, 1200)).toEqual([]);
    expect(missing.look(['c'], live, 2200)).toEqual(['c']);
    // Workers without calls are not tracked.
    expect(missing.look([], live, 2300)).toEqual([]);
    expect(missing.look(['c'], live, 2400)).toEqual([]);
  });

  it('starts over after forget()', () => {
    const missing = new MissingWorkers(1000);
    missing.look(['c'], new Set(), 0);
    missing.forget();
    expect(missing.look(['c'], new Set(), 5000)).toEqual([]);
  });
});
