import { describe, expect, it } from '@jest/globals';
import { analysisLabels } from './call-analyses.ts';

const analysis = {
  status: 'done',
  requested: '2026-03-02T09:31:12.000Z',
  completed: '2026-03-02T09:31:15.000Z',
  model: 'svc-v0.7',
  outcome: null,
  criteria: [],
  failureReason: null,
} as const;

describe('analysisLabels', () => {
  it('returns the outcomes and the scalar values at the top level of the data', () => {
    expect(
      analysisLabels({
        ...analysis,
        outcome: 'success',
        criteria: [{ name: 'booked', outcome: 'success', reason: 'Room 12.' }],
        data: { city: 'Bern', nights: 2, pets: false, guests: [{ name: 'Ann' }], code: null },
      }),
    ).toEqual({
      outcome: 'success',
      'criterion booked': 'success',
      'data city': 'Bern',
      'data nights': '2',
      'data pets': 'false',
    });
  });

  it('returns no labels without results', () => {
    expect(analysisLabels({ ...analysis, criteria: [] })).toEqual({});
  });

  it('limits the number and the length of labels', () => {
    const fields = Array.from({ length: 500 }, (_, index): [string, string] => [`field${index}`, 'x']);
    const data = Object.fromEntries([['long', 'x'.repeat(257)], ...fields]);
    const labels = Object.keys(analysisLabels({ ...analysis, criteria: [], data }));
    expect(labels).toHaveLength(100);
    expect(labels).not.toContain('data long');
  });
});
