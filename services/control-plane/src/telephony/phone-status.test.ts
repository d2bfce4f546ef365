import { describe, expect, it } from '@jest/globals';
import { notReachedBy } from './phone-status.ts';

describe('notReachedBy', () => {
  it.each([
    ['telephony1', 'completed', 'The phone call ended before the conversation started.'],
    ['telephony1', 'busy', 'The phone was busy.'],
    ['telephony1', 'no-answer', 'The phone was not answered.'],
    ['telephony1', 'failed', 'The phone could not be reached.'],
    ['telephony1', 'canceled', 'The phone call was cancelled before it was answered.'],
    ['telephony2', 'completed', 'The phone call ended before the conversation started.'],
    ['telephony2', 'busy', 'The phone was busy.'],
    ['telephony2', 'no-answer', 'The phone was not answered.'],
    ['telephony2', 'failed', 'The phone could not be reached.'],
    ['telephony2', 'canceled', 'The phone call was cancelled before it was answered.'],
    ['telephony3', 'completed', 'The phone call ended before the conversation started.'],
    ['telephony3', 'busy', 'The phone was busy.'],
    ['telephony3', 'no-answer', 'The phone was not answered.'],
    ['telephony3', 'timeout', 'The phone was not answered.'],
    ['telephony3', 'failed', 'The phone could not be reached.'],
    ['telephony3', 'cancel', 'The phone call was cancelled before it was answered.'],
  ] as const)('maps the %s status to: %s', (provider, CallStatus, why) => {
    expect(notReachedBy(provider, { CallStatus })?.detail).toBe(why);
  });

  it.each(['telephony1', 'telephony2', 'telephony3'] as const)(
    'returns null for any other status of %s',
    (provider) => {
      for (const CallStatus of ['queued', 'initiated', 'ringing', 'in-progress', 'toString', '', 1])
        expect(notReachedBy(provider, { CallStatus })).toBeNull();
      expect(notReachedBy(provider, {})).toBeNull();
    },
  );

  it('includes the cause that the provider reports', () => {
    expect(notReachedBy('telephony3', { CallStatus: 'busy', HangupCauseName: 'Busy\nLine' })).toEqual({
      reason: 'busy',
      detail: 'The phone was busy (Busy Line).',
    });
    expect(notReachedBy('telephony2', { CallStatus: 'failed', ErrorMessage: 'x'.repeat(999) })).toEqual({
      reason: 'failed',
      detail: `The phone could not be reached (${'x'.repeat(200)}).`,
    });
    const unreachable = { CallStatus: 'failed', SipResponseCode: '404' };
    expect(notReachedBy('telephony1', unreachable)?.detail).toBe('The phone could not be reached (SIP 404).');
    expect(notReachedBy('telephony1', { CallStatus: 'busy', SipResponseCode: 7 })?.detail).toBe(
      'The phone was busy.',
    );
  });
});
