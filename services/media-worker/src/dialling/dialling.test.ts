import { describe, expect, it } from '@jest/globals';
import { CONTROL_PLANE_BUSY } from '@calls/bus/request-reply';
import type { RequestDefinition } from '@calls/api-contract/bus/request-reply';
import { DIAL_REQUEST, type DialReplyMessage } from '@calls/api-contract/bus/live-calls';
import type { MediumSpec } from '@calls/api-contract/call-spec';
import { AppError } from '@calls/foundation/errors';
import { serverWebSocketSpec } from '@calls/testkit/call-spec';
import { settle, VirtualClock } from '@calls/foundation/virtual-clock';
import type { CallRelease } from '../calls/call-phase.ts';
import { createDialling } from './dialling.ts';

const OUTGOING: MediumSpec = { kind: 'telephony2', dials: true, dtmf: null };

function dialling(medium: MediumSpec = OUTGOING, busyTimes = 0) {
  const clock = new VirtualClock();
  const answer = Promise.withResolvers<DialReplyMessage>();
  const released = Promise.withResolvers<CallRelease>();
  const asked: unknown[] = [];
  const counted: string[] = [];
  const notReached: string[] = [];
  const errors: string[] = [];
  let signal = null as AbortSignal | null;
  const log = {
    info: () => undefined,
    error: (_fields: unknown, text?: string) => void errors.push(text ?? ''),
  };
  const dial = createDialling({
    requests: {
      send: async <Q, A>(
        { subject, reply }: RequestDefinition<Q, A>,
        message: Q,
        until: AbortSignal,
      ): Promise<A> => {
        asked.push([subject, message]);
        signal = until;
        if (asked.length <= busyTimes)
          throw new AppError(CONTROL_PLANE_BUSY, 'the control-plane is busy', { retryable: true });
        const replied = reply.parse({ answer: await answer.promise });
        if ('answer' in replied) return replied.answer;
        throw new Error(replied.failure.message);
      },
    },
    onReply: (outcome, by) => counted.push(`${outcome} ${by}`),
    clock,
  });
  const notice = (detail: string): void => void notReached.push(detail);
  dial({ callId: 'c1', released: released.promise, notReached: notice, spec: { medium } }, log);
  return { clock, answer, released, asked, counted, notReached, errors, aborted: () => signal?.aborted };
}

describe('dialling', () => {
  it('sends a dial request only for outgoing phone calls', () => {
    expect(dialling().asked).toEqual([[DIAL_REQUEST.subject, { callId: 'c1' }]]);
    const incoming: MediumSpec = { kind: 'telephony2', dials: false, dtmf: null };
    const others: MediumSpec[] = [incoming, serverWebSocketSpec(), { kind: 'webRtc', dataMessages: {} }];
    expect(others.map((medium) => dialling(medium).asked)).toEqual([[], [], []]);
  });

  it('does not end a call that was dialled', async () => {
    const call = dialling();
    call.answer.resolve({ outcome: 'dialled' });
    await settle();
    expect([call.notReached, call.counted, call.aborted()]).toEqual([[], ['dialled telephony2'], false]);
  });

  it('ends a call that the provider refused, with the reason', async () => {
    const call = dialling();
    call.answer.resolve({ outcome: 'refused', detail: 'telephony2 knows no such number.' });
    await settle();
    expect(call.notReached).toEqual(['telephony2 knows no such number.']);
    expect([call.counted, call.errors]).toEqual([['refused telephony2'], []]);
  });

  it('ends a call with a service error when no control-plane dials it', async () => {
    const call = dialling();
    call.answer.reject(new AppError('no_control_plane', 'no control-plane responds', { retryable: true }));
    await settle();
    expect(call.notReached).toEqual([expect.stringContaining('did not respond')]);
    expect([call.counted, call.errors]).toEqual([['unanswered telephony2'], [expect.any(String)]]);
  });

  it('waits while all control-planes are busy, and stops when the call has left', async () => {
    const call = dialling(OUTGOING, 3);
    await call.clock.advance(2000);
    expect(call.asked).toHaveLength(3);
    await call.clock.advance(1000);
    call.answer.resolve({ outcome: 'dialled' });
    await settle();
    expect([call.asked.length, call.notReached, call.counted]).toEqual([4, [], ['dialled telephony2']]);
    const left = dialling(OUTGOING, Infinity);
    await settle();
    left.released.resolve({ kind: 'ended', reason: 'unjoined' });
    await left.clock.advance(10_000);
    expect([left.asked.length, left.notReached, left.counted, left.errors]).toEqual([1, [], [], []]);
    expect(left.clock.pendingTimers).toBe(0);
  });

  it('cancels the dial request when the call has left', async () => {
    const call = dialling();
    call.released.resolve({ kind: 'handed_over' });
    await settle();
    expect(call.aborted()).toBe(true);
    call.answer.reject(new Error('the call has left'));
    await settle();
    expect([call.notReached, call.counted, call.errors]).toEqual([[], [], []]);
  });
});
