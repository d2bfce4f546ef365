import { describe, expect, it } from '@jest/globals';
import { judge, type NetworkPath } from './network-test.ts';

const reached = (roundTripMs: number | null = 20): NetworkPath => ({
  isReachable: true,
  roundTripMs,
  problem: null,
});
const BLOCKED: NetworkPath = { isReachable: false, roundTripMs: null, problem: 'no response' };

describe('the verdict of a network test', () => {
  it('is good with UDP and a short round trip, whatever else is blocked', () => {
    const good = { verdict: 'good', reasons: [] };
    expect(judge({ udp: reached(), tcp: BLOCKED, turn: null })).toEqual(good);
    expect(judge({ udp: reached(300), tcp: reached(900), turn: BLOCKED })).toEqual(good);
    expect(judge({ udp: reached(null), tcp: reached(null), turn: null })).toEqual(good);
  });

  it.each([
    ['only TCP', { udp: BLOCKED, tcp: reached(), turn: BLOCKED }, [/^UDP is blocked/u]],
    ['only TURN', { udp: BLOCKED, tcp: BLOCKED, turn: reached() }, [/^Direct connections are blocked/u]],
    ['a long round trip', { udp: reached(301), tcp: reached(20), turn: null }, [/takes 301 ms/u]],
    [
      'only TCP and a long round trip',
      { udp: BLOCKED, tcp: reached(400.4), turn: reached() },
      [/^UDP is blocked/u, /takes 400 ms/u],
    ],
  ])('is limited with %s, and states why', (_, paths, reasons) => {
    expect(judge(paths)).toEqual({
      verdict: 'limited',
      reasons: reasons.map((each) => expect.stringMatching(each)),
    });
  });

  it('is blocked if no path carries audio', () => {
    expect(judge({ udp: BLOCKED, tcp: BLOCKED, turn: null }).verdict).toBe('blocked');
    expect(judge({ udp: BLOCKED, tcp: BLOCKED, turn: BLOCKED }).verdict).toBe('blocked');
  });
});
