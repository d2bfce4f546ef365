import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { systemClock, type Clock } from '../clock.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { compileInHalfTheTime, compileValidators } from './compile-validators.ts';
import { compileValidator } from './validator.ts';

describe('compileValidators', () => {
  it('compiles validators before their first use', async () => {
    const wrong = compileValidator('value', Type.Unsafe({ type: 'string', pattern: '(' }));
    await expect(compileValidators(systemClock)).rejects.toThrow('Invalid regular expression');
    expect(() => wrong.issues('text')).toThrow('Invalid regular expression');
  });

  it('waits after each compilation for as long as it took', async () => {
    const virtual = new VirtualClock();
    let blockedMs = 0;
    const clock: Clock = {
      nowMs: () => virtual.nowMs() + blockedMs,
      wallMs: () => virtual.wallMs(),
      setTimer: (delayMs, fire) => virtual.setTimer(delayMs, fire),
    };
    const startsMs: number[] = [];
    const compilation = (takesMs: number) => () => {
      startsMs.push(clock.nowMs());
      blockedMs += takesMs;
    };
    void compileInHalfTheTime(clock, [30, 10, 0].map(compilation));
    await virtual.advance(200);
    expect(startsMs).toEqual([0, 60, 80]);
  });
});
