import { describe, expect, it } from '@jest/globals';
import { keySteps } from './phone-keys.ts';

describe('keySteps', () => {
  it('splits a dial string into keys and pauses', () => {
    expect(keySteps('1w2,,W#')).toEqual([
      { kind: 'keys', keys: '1' },
      { kind: 'pause', durationMs: 500 },
      { kind: 'keys', keys: '2' },
      { kind: 'pause', durationMs: 5000 },
      { kind: 'keys', keys: '#' },
    ]);
    expect(keySteps('*12#')).toEqual([{ kind: 'keys', keys: '*12#' }]);
    expect(keySteps('w1')).toEqual([
      { kind: 'pause', durationMs: 500 },
      { kind: 'keys', keys: '1' },
    ]);
  });
});
