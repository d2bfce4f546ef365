import { describe, expect, it } from '@jest/globals';
import { FakeDialog } from '../testing/fake-dialog.ts';
import { failureOf, meaningOf } from './termination-reason.ts';

describe('SIP termination reason', () => {
  it.each([
    [486, 'BUSY'],
    [600, 'BUSY'],
    [404, 'INVALID_NUMBER'],
    [410, 'INVALID_NUMBER'],
    [484, 'INVALID_NUMBER'],
    [604, 'INVALID_NUMBER'],
    [408, 'TIMEOUT'],
    [480, 'TIMEOUT'],
    [403, 'REJECTED'],
    [603, 'REJECTED'],
    [607, 'REJECTED'],
    [608, 'REJECTED'],
    [401, 'REJECTED'],
    [407, 'REJECTED'],
    [487, 'CANCELED'],
    [500, 'DESTINATION_UNAVAILABLE'],
    [503, 'DESTINATION_UNAVAILABLE'],
    [599, 'DESTINATION_UNAVAILABLE'],
    [302, 'UNKNOWN'],
    [488, 'UNKNOWN'],
    [606, 'UNKNOWN'],
    [699, 'UNKNOWN'],
  ])('maps status %i to %s', (status, reason) => {
    const meaning = meaningOf({ cause: 'refused', status, reason: '' });
    expect(meaning).toEqual({
      reason: `SIP_TERMINATION_${reason}`,
      sentence: expect.stringMatching(new RegExp(` \\(SIP ${status}\\)\\.$`, 'u')),
    });
  });

  it.each([
    ['noAnswer', 'TIMEOUT'],
    ['cancelled', 'CANCELED'],
    ['unreachable', 'DESTINATION_UNAVAILABLE'],
    ['unusable', 'UNKNOWN'],
  ] as const)('maps cause %s to %s', (cause, reason) => {
    expect(meaningOf({ cause, status: null, reason: '' }).reason).toBe(`SIP_TERMINATION_${reason}`);
  });

  it('says that credentials are missing or wrong', () => {
    for (const status of [401, 407]) {
      const { sentence } = meaningOf({ cause: 'refused', status, reason: 'Unauthorized' });
      expect(sentence).toBe(
        `The username and the password are missing or were not accepted (SIP ${status}).`,
      );
    }
  });

  it('says why the destination could not be reached', () => {
    const failure = { cause: 'unreachable', status: null, reason: 'the host has no address' } as const;
    expect(meaningOf(failure).sentence).toBe(
      'The destination could not be reached: the host has no address.',
    );
  });

  it('says why an answer cannot be used', () => {
    const reason = 'The SDP has no audio with supported encryption (a=crypto), which is required';
    const media = { takeAnswer: () => ({ kind: 'refused', status: 488, reason }) as const };
    const failure = failureOf({ kind: 'answered', sdp: 'v=0', dialog: new FakeDialog() }, media);
    expect(failure && meaningOf(failure).sentence).toBe(`The answer cannot be used: ${reason}.`);
  });
});
