import { describe, expect, it } from '@jest/globals';
import {
  NO_PRESSURE,
  isAtLeast,
  stepPressure,
  usableShare,
  type LostTime,
  type PressureLevel,
  type PressureState,
} from './processor-pressure.ts';

const lost = (part: number, kind: keyof LostTime = 'stolen'): LostTime => ({
  ...{ stolen: 0, throttled: 0, waited: 0 },
  [kind]: part,
});

function after(parts: readonly number[], calls = 50, isOverloaded = false): PressureState[] {
  let state = NO_PRESSURE;
  return parts.map((part) => {
    state = stepPressure(state, lost(part), { calls, isOverloaded });
    return state;
  });
}

const levels = (states: readonly PressureState[]): PressureLevel[] => states.map(({ level }) => level);

describe('stepPressure', () => {
  it('sheds more work the more processor time is lost, within two seconds', () => {
    expect(levels(after([0.02, 0.02, 0.02]))).toEqual(['none', 'none', 'none']);
    expect(levels(after([0.08, 0.08, 0.08]))).toEqual(['none', 'capacity', 'capacity']);
    expect(levels(after([0.16, 0.16]))).toEqual(['capacity', 'speculation']);
    expect(levels(after([0.44, 0.44]))).toEqual(['storage', 'storage']);
  });

  it.each(['stolen', 'throttled', 'waited'] as const)('reacts to time that is %s', (kind) => {
    const state = stepPressure(NO_PRESSURE, lost(0.5, kind), { calls: 50, isOverloaded: false });
    expect(state).toEqual({ level: 'storage', lostShare: 0.25 });
  });

  it('ignores a single second with little loss', () => {
    expect(levels(after([0.09, 0, 0]))).toEqual(['none', 'none', 'none']);
  });

  it('resumes work one level at a time, below half of each threshold', () => {
    const states = after([0.4, 0.4, 0.4, 0.4, ...Array<number>(16).fill(0)]);
    const order = levels(states).filter((level, i, all) => level !== all[i - 1]);
    expect(order).toEqual(['storage', 'speculation', 'capacity', 'none']);
    for (const { level, lostShare } of states.slice(4))
      if (level === 'none') expect(lostShare).toBeLessThan(0.025);
  });

  it('keeps its level while the loss stays near a threshold', () => {
    const states = after([
      0.12,
      0.12,
      0.12,
      0.12,
      ...Array<number>(20).fill(0.08),
      ...Array<number>(20).fill(0.12),
    ]);
    expect(new Set(levels(states.slice(3)))).toEqual(new Set(['speculation']));
  });

  it('sheds nothing with few calls, and does not shed storage when only the event loop is late', () => {
    expect(levels(after([0.9, 0.9, 0.9], 4))).toEqual(['none', 'none', 'none']);
    expect(levels(after([0, 0], 50, true))).toEqual(['speculation', 'speculation']);
  });

  it('lowers the capacity by the lost share of processor time', () => {
    expect(usableShare(NO_PRESSURE)).toBe(1);
    expect(usableShare({ level: 'none', lostShare: 0.04 })).toBe(1);
    expect(usableShare({ level: 'storage', lostShare: 0.4 })).toBe(0.6);
    expect([isAtLeast('capacity', 'speculation'), isAtLeast('storage', 'speculation')]).toEqual([
      false,
      true,
    ]);
  });
});
