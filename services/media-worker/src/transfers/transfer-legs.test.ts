import { describe, expect, it } from '@jest/globals';
import type { RequestDefinition } from '@calls/api-contract/bus/request-reply';
import { TRANSFER_LEG_REQUEST } from '@calls/api-contract/bus/transfer-legs';
import { CONTROL_PLANE_BUSY } from '@calls/bus/request-reply';
import type { LegOutcome, TransferLegRequest } from '@calls/conversation/ports/transfer-legs';
import { AppError } from '@calls/foundation/errors';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { callSpec } from '@calls/testkit/call-spec';
import { createTransferLegs } from './transfer-legs.ts';

const RING_LIMIT_MS = 20_000;
const DECLINED: LegOutcome = { kind: 'failed', failure: 'declined', detail: 'The call was rejected.' };

function dialled(busyTimes: number, about: Partial<TransferLegRequest> = {}) {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const legs = createTransferLegs({
    requests: {
      send: <Q, A>({ subject, reply }: RequestDefinition<Q, A>): Promise<A> => {
        asked.push(subject);
        if (asked.length <= busyTimes)
          return Promise.reject(
            new AppError(CONTROL_PLANE_BUSY, 'the control-plane is busy', { retryable: true }),
          );
        const replied = reply.parse({ answer: { kind: 'no_trunk' } });
        return 'answer' in replied ? Promise.resolve(replied.answer) : Promise.reject(new Error('failed'));
      },
    },
    sealOf: () => ({ seal: (reply) => reply, open: (reply) => reply }),
    sip: { callPerson: () => Promise.resolve(DECLINED) },
    phones: { dial: () => Promise.resolve(DECLINED) },
    clock,
    log: silentLogger,
  });
  const outcomes: LegOutcome[] = [];
  const leg = { call: callSpec({}), legId: newId(), trunkId: null, provider: null };
  const addresses = { target: 'sip:desk@example.test', from: 'sip:line@example.test' };
  const cancelled = new AbortController();
  const request = { ...leg, ...addresses, ringLimitMs: RING_LIMIT_MS, ...about };
  void legs.dial(request, cancelled.signal).then((outcome) => outcomes.push(outcome));
  return { clock, asked, outcomes, cancelled };
}

describe('SIP leg of a warm transfer', () => {
  it('waits while all control-planes are busy, but not longer than it may ring or than its transfer', async () => {
    const waiting = dialled(3);
    await waiting.clock.advance(3000);
    expect(waiting.asked).toEqual(Array(4).fill(TRANSFER_LEG_REQUEST.subject));
    expect(waiting.outcomes).toEqual([DECLINED]);
    const unlucky = dialled(Infinity);
    await unlucky.clock.advance(RING_LIMIT_MS);
    const refused = {
      kind: 'failed',
      failure: 'refused',
      detail: expect.stringContaining('no control-plane responded'),
    };
    expect(unlucky.outcomes).toEqual([refused]);
    const over = dialled(Infinity);
    await over.clock.advance(1000);
    over.cancelled.abort();
    await over.clock.advance(RING_LIMIT_MS);
    expect([over.asked.length, over.outcomes]).toEqual([2, [refused]]);
    for (const { clock } of [waiting, unlucky, over]) expect(clock.pendingTimers).toBe(0);
  });

  it('needs a trunk for a number if the caller hides its address', async () => {
    const parties = { to: 'sip:line@calls.test', from: 'sip:anonymous@anonymous.invalid' };
    const medium = { kind: 'sip', direction: 'incoming', ...parties, dtmf: null } as const;
    const call = callSpec({ medium: { ...medium, username: null, password: null } });
    const { clock, outcomes } = dialled(0, { call, target: '+4930777', from: null });
    await clock.advance(0);
    const detail = expect.stringContaining('a phone number needs trunk_id');
    expect(outcomes).toEqual([{ kind: 'failed', failure: 'refused', detail }]);
  });
});
