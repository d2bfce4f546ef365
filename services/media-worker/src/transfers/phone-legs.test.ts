import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { CallCommand } from '@calls/api-contract/bus/call-commands';
import type { RequestDefinition } from '@calls/api-contract/bus/request-reply';
import {
  PHONE_LEG_END_REQUEST,
  PHONE_LEG_REQUEST,
  type PhoneLegReplyMessage,
} from '@calls/api-contract/bus/transfer-legs';
import type { Bus } from '@calls/bus/bus';
import { CONTROL_PLANE_BUSY } from '@calls/bus/request-reply';
import type { LegOutcome } from '@calls/conversation/ports/transfer-legs';
import { AppError } from '@calls/foundation/errors';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { callSpec } from '@calls/testkit/call-spec';
import { collect } from '@calls/testkit/collect';
import { connectSockets } from '@calls/testkit/socket-pair';
import { settle, VirtualClock } from '@calls/foundation/virtual-clock';
import { InlineOpus } from '@calls/transports/opus/inline-opus';
import { PhoneLegs } from './phone-legs.ts';

const RING_LIMIT_MS = 30_000;

function dialled({ isCancelled = false, busyTimes = 0 } = {}) {
  const clock = new VirtualClock();
  const reply = Promise.withResolvers<PhoneLegReplyMessage>();
  const asked: unknown[] = [];
  const handlers = new Map<string, Parameters<Bus['commands']['serve']>[1]>();
  const counted: string[] = [];
  const legs = new PhoneLegs({
    bus: {
      requests: {
        send: async <Q, A>({ subject, reply: schema }: RequestDefinition<Q, A>, message: Q): Promise<A> => {
          asked.push([subject, message]);
          if (asked.length <= busyTimes)
            throw new AppError(CONTROL_PLANE_BUSY, 'the control-plane is busy', { retryable: true });
          const isEnd = subject === PHONE_LEG_END_REQUEST.subject;
          const replied = schema.parse({ answer: isEnd ? {} : await reply.promise });
          if ('answer' in replied) return replied.answer;
          throw new Error(replied.failure.message);
        },
      },
      commands: {
        serve(id, handle) {
          handlers.set(id, handle);
          return { [Symbol.dispose]: () => void handlers.delete(id) };
        },
      },
    },
    opus: new InlineOpus(),
    onDialled: (outcome, by) => void counted.push(`${outcome} ${by}`),
    clock,
    log: silentLogger,
  });
  const call = callSpec({});
  const legId = newId();
  const cancelled = new AbortController();
  if (isCancelled) cancelled.abort();
  const request = { call, legId, target: '+4930777', trunkId: null, provider: null, from: '+4930555' };
  const outcomes: LegOutcome[] = [];
  void legs
    .dial({ ...request, ringLimitMs: RING_LIMIT_MS }, 'telephony3', cancelled.signal)
    .then((outcome) => outcomes.push(outcome));
  const report = (command: CallCommand): unknown => handlers.get(legId)?.(command);
  return { legs, clock, reply, asked, handlers, counted, call, legId, cancelled, outcomes, report };
}

const failed = (failure: string): object => ({ kind: 'failed', failure, detail: expect.any(String) });

describe('phone leg of a warm transfer', () => {
  it('is dialled by a control-plane', async () => {
    const { reply, asked, counted, call, legId, outcomes } = dialled();
    reply.resolve({ outcome: 'dialled', providerCallId: 'CA1' });
    await settle();
    const { accountId, callId } = call;
    const message = {
      accountId,
      callId,
      legId,
      provider: 'telephony3',
      target: '+4930777',
      from: '+4930555',
    };
    expect(asked).toEqual([[PHONE_LEG_REQUEST.subject, { ...message, ringLimitMs: RING_LIMIT_MS }]]);
    expect([counted, outcomes]).toEqual([['dialled telephony3'], []]);
  });

  it.each([
    ['busy', 'busy'],
    ['no_answer', 'no_answer'],
    ['canceled', 'no_answer'],
    ['failed', 'unreachable'],
    ['left', 'unreachable'],
  ] as const)('fails when the provider reports: %s', async (reason, failure) => {
    const { outcomes, report, handlers } = dialled();
    expect(report({ kind: 'status' })).toEqual({ outcome: 'accepted' });
    report({ kind: 'not_reached', detail: 'The provider says why.', reason });
    await settle();
    expect(outcomes).toEqual([{ kind: 'failed', failure, detail: 'The provider says why.' }]);
    // Later requests of the provider find no worker.
    expect(handlers.size).toBe(0);
  });

  it('is not dialled for a transfer that is already cancelled', async () => {
    const { asked, outcomes } = dialled({ isCancelled: true });
    await settle();
    expect([asked, outcomes]).toEqual([[], [failed('no_answer')]]);
  });

  it('fails when the provider or all control-planes refuse', async () => {
    const [rejected, alone] = [dialled(), dialled()];
    rejected.reply.resolve({ outcome: 'refused', detail: 'telephony3 did not dial.' });
    alone.reply.reject(new Error('no control-plane responds'));
    await settle();
    expect(rejected.outcomes).toEqual([{ ...failed('refused'), detail: 'telephony3 did not dial.' }]);
    expect(alone.outcomes).toEqual([failed('refused')]);
    expect(alone.counted).toEqual(['unanswered telephony3']);
  });

  it('waits while all control-planes are busy, but not longer than it may ring or than its transfer', async () => {
    const waiting = dialled({ busyTimes: 3 });
    await waiting.clock.advance(3000);
    waiting.reply.resolve({ outcome: 'dialled', providerCallId: 'CA1' });
    await settle();
    expect(waiting.asked).toHaveLength(4);
    expect([waiting.counted, waiting.outcomes]).toEqual([['dialled telephony3'], []]);
    const unlucky = dialled({ busyTimes: Infinity });
    await unlucky.clock.advance(RING_LIMIT_MS);
    expect([unlucky.counted, unlucky.outcomes]).toEqual([['unanswered telephony3'], [failed('refused')]]);
    const over = dialled({ busyTimes: Infinity });
    await over.clock.advance(1000);
    over.cancelled.abort();
    await over.clock.advance(RING_LIMIT_MS);
    expect(over.asked).toHaveLength(2);
    expect([over.counted, over.outcomes]).toEqual([[], [failed('no_answer')]]);
    expect(over.clock.pendingTimers + unlucky.clock.pendingTimers).toBe(0);
  });

  it('fails and is hung up when it rings longer than the limit or the transfer is cancelled', async () => {
    const [ringing, over] = [dialled(), dialled()];
    for (const { reply } of [ringing, over]) reply.resolve({ outcome: 'dialled', providerCallId: 'CA1' });
    await ringing.clock.advance(RING_LIMIT_MS);
    expect(ringing.outcomes).toEqual([]);
    await ringing.clock.advance(RING_LIMIT_MS);
    over.cancelled.abort();
    await settle();
    for (const { outcomes, asked, legId } of [ringing, over]) {
      expect(outcomes).toEqual([failed('no_answer')]);
      const hungUp = expect.objectContaining({ legId, provider: 'telephony3', providerCallId: 'CA1' });
      expect(asked.at(-1)).toEqual([PHONE_LEG_END_REQUEST.subject, hungUp]);
    }
  });

  it('has hung up when the provider says so, even if its media stream stays open', async () => {
    const { legs, clock, reply, call, legId, outcomes, report, handlers } = dialled();
    reply.resolve({ outcome: 'dialled', providerCallId: 'CA1' });
    using ends = await connectSockets();
    expect(legs.connect({ legId, callId: call.callId }, ends.socket)).toBe(true);
    ends.client.send(JSON.stringify(STREAM_START));
    while (outcomes.length === 0) await settle();
    const [outcome] = outcomes;
    if (outcome?.kind !== 'answered') throw new Error('not answered');
    // A provider whose stream is half open does not read the request to close it.
    ends.client.pause();
    report({ kind: 'not_reached', detail: 'The phone call is over.', reason: 'left' });
    const events = await collect(outcome.transport.events);
    expect(events).toEqual([{ type: 'closed', reason: 'hangup', detail: expect.any(String) }]);
    expect(handlers.size).toBe(1);
    const closed = once(ends.socket, 'close');
    await clock.advance(5000);
    await closed;
    expect([handlers.size, clock.pendingTimers]).toEqual([0, 0]);
  });
});

/** The first message of a stream of telephony3. */
const STREAM_START = {
  event: 'start',
  start: { streamId: 's1', mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 } },
};
