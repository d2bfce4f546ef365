import { describe, expect, it } from '@jest/globals';
import { SetUps } from './web-rtc.ts';

describe('SetUps', () => {
  it('aborts the oldest setup of a call when there are too many, and none of another call', () => {
    const setUps = new SetUps();
    const givenUp: string[] = [];
    const begin = (call: string, name: string): Disposable => setUps.begin(call, () => givenUp.push(name));
    begin('a', 'a1');
    const a2 = begin('a', 'a2');
    begin('b', 'b1');
    begin('a', 'a3');
    expect(givenUp).toEqual([]);
    begin('a', 'a4');
    expect(givenUp).toEqual(['a1']);
    a2[Symbol.dispose]();
    a2[Symbol.dispose]();
    begin('a', 'a5');
    expect(givenUp).toEqual(['a1']);
    begin('a', 'a6');
    expect(givenUp).toEqual(['a1', 'a3']);
  });

  it('starts a new count when all setups of a call have ended', () => {
    const setUps = new SetUps();
    let givenUp = 0;
    const begin = (): Disposable => setUps.begin('a', () => (givenUp += 1));
    const first = [begin(), begin(), begin()];
    for (const each of first) each[Symbol.dispose]();
    begin();
    // Disposed once more later, as by a setup that was aborted.
    for (const each of first) each[Symbol.dispose]();
    begin();
    begin();
    expect(givenUp).toBe(0);
    begin();
    expect(givenUp).toBe(1);
  });
});
