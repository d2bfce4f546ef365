import { describe, expect, it } from '@jest/globals';
import { SetUps, type SetUp } from './web-rtc.ts';

describe('SetUps', () => {
  it('aborts the oldest setup of a call when there are too many, and none of another call', () => {
    const setUps = new SetUps();
    const givenUp: string[] = [];
    const begin = (call: string, name: string): SetUp => setUps.begin(call, () => givenUp.push(name));
    begin('a', 'a1');
    const a2 = begin('a', 'a2');
    begin('b', 'b1');
    begin('a', 'a3');
    expect(givenUp).toEqual([]);
    begin('a', 'a4');
    expect(givenUp).toEqual(['a1']);
    a2.end({ hasJoined: false });
    a2.end({ hasJoined: false });
    begin('a', 'a5');
    expect(givenUp).toEqual(['a1']);
    begin('a', 'a6');
    expect(givenUp).toEqual(['a1', 'a3']);
  });

  it('gives up the other setups of a call when a client has joined', () => {
    const setUps = new SetUps();
    const givenUp: string[] = [];
    const begin = (call: string, name: string): SetUp => setUps.begin(call, () => givenUp.push(name));
    begin('a', 'a1');
    const a2 = begin('a', 'a2');
    begin('a', 'a3');
    begin('b', 'b1');
    a2.end({ hasJoined: true });
    expect(givenUp).toEqual(['a1', 'a3']);
    // A later one, while the call reconnects.
    begin('a', 'a4');
    a2.end({ hasJoined: true });
    expect(givenUp).toEqual(['a1', 'a3']);
  });

  it('starts a new count when all setups of a call have ended', () => {
    const setUps = new SetUps();
    let givenUp = 0;
    const begin = (): SetUp => setUps.begin('a', () => (givenUp += 1));
    const first = [begin(), begin(), begin()];
    for (const each of first) each.end({ hasJoined: false });
    begin();
    // Disposed once more later, as by a setup that was aborted.
    for (const each of first) each.end({ hasJoined: false });
    begin();
    begin();
    expect(givenUp).toBe(0);
    begin();
    expect(givenUp).toBe(1);
  });
});
