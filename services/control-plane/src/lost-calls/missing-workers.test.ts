import { describe, expect, it } from '@jest/globals';
import { MissingWorkers } from './missing-workers.ts';

describe('MissingWorkers', () => {
  it('names workers that were missing all the time, and nobody else', () => {
    const missing = new MissingWorkers(1000);
    const live = new Set(['a', 'b']);
    expect(missing.look(['a', 'b', 'c'], live, 0)).toEqual([]);
    expect(missing.look(['a', 'b', 'c'], live, 999)).toEqual([]);
    expect(missing.look(['a', 'b', 'c'], live, 1000)).toEqual(['c']);
    // It came back, and is lost again.
    expect(missing.look(['c'], new Set(['c']), 1100)).toEqual([]);
    expect(missing.look(['c'], live, 1200)).toEqual([]);
    expect(missing.look(['c'], live, 2200)).toEqual(['c']);
    // Without calls there is nothing to know of it.
    expect(missing.look([], live, 2300)).toEqual([]);
    expect(missing.look(['c'], live, 2400)).toEqual([]);
  });

  it('begins anew when it has forgotten', () => {
    const missing = new MissingWorkers(1000);
    missing.look(['c'], new Set(), 0);
    missing.forget();
    expect(missing.look(['c'], new Set(), 5000)).toEqual([]);
  });
});
