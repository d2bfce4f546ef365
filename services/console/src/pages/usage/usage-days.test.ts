import { describe, expect, it } from '@jest/globals';
import { agentTotals, amountText, shareText, usageCsv, usageDays } from './usage-days.ts';

const daily = {
  date: '2026-11-20',
  totalCount: 5,
  joinedCount: 3,
  errorCount: 1,
  duration: '90s',
  billedMinutes: 1.2,
};

describe('daily usage', () => {
  it('lists every day, also days without calls', () => {
    const usage = { allTime: daily, daily: [daily], hourly: [] };
    expect(usageDays(usage, ['2026-11-19', '2026-11-20'])).toEqual([
      { day: '2026-11-19', calls: 0, joined: 0, unjoined: 0, failed: 0, minutes: 0, billedMinutes: 0 },
      { day: '2026-11-20', calls: 5, joined: 3, unjoined: 2, failed: 1, minutes: 1.5, billedMinutes: 1.2 },
    ]);
  });

  it('adds up the days of each agent and sorts agents by calls', () => {
    const usage = (name: string, calls: number[]) => ({
      agent: { agentId: name, name },
      usage: calls.map((count) => ({ date: '2026-11-20', calls: count, billedMinutes: count / 2 })),
    });
    expect(agentTotals([usage('b', [1]), usage('a', [1]), usage('c', [2, 3])])).toEqual([
      { agentId: 'c', name: 'c', calls: 5, billedMinutes: 2.5 },
      { agentId: 'a', name: 'a', calls: 1, billedMinutes: 0.5 },
      { agentId: 'b', name: 'b', calls: 1, billedMinutes: 0.5 },
    ]);
  });

  it('is exported with a record per day, and with costs if there is a price', () => {
    const days = usageDays({ allTime: daily, daily: [daily], hourly: [] }, ['2026-11-20']);
    expect(usageCsv(days, null)).toBe(
      'day,calls,joined,unjoined,failed,minutes,billedMinutes\r\n2026-11-20,5,3,2,1,1.50,1.20\r\n',
    );
    expect(usageCsv(days, 0.05)).toContain('billedMinutes,cost\r\n2026-11-20,5,3,2,1,1.50,1.20,0.06');
  });

  it('formats amounts and shares', () => {
    expect([0, 0.44, 12.4, 1204].map(amountText)).toEqual(['0', '0.4', '12', '1,204']);
    expect(shareText(1, 3)).toBe('33 %');
    expect(shareText(0, 0)).toBe('–');
  });
});
