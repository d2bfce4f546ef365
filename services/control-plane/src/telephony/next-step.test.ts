import { describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import { BusUnavailableError } from '@calls/bus/bus-error';
import type { StoredCallLogEntry } from '@calls/bus/call-log';
import { createEventSeal } from '@calls/bus/call-seal';
import { delay } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { endedEntry } from '@calls/testkit/ended-entry';
import { nextStep, type NextStep, type PhoneCallRow } from './next-step.ts';

const callId = newId();
const eventSeal = createEventSeal(['a secret for tests only']);
const joined: CallLogEntryBody = { type: 'joined', clientVersion: null, workerId: 'w' };
const ended = (transferTo?: string): CallLogEntryBody =>
  endedEntry({ endReason: 'agent_hangup', joinedAtMs: 1, ...(transferTo !== undefined && { transferTo }) });

const row = (is: Partial<PhoneCallRow> = {}): PhoneCallRow => ({
  call_id: callId,
  joined_at: null,
  refused_at: null,
  ended_at: null,
  transfer_to: null,
  retention_policy: 'retain',
  ...is,
});
const past = new Date(0);

type Reply = 'accepted' | 'not_joined' | 'no worker';

/**
 * `log`: the last log entry at each time; null: the bus is disconnected. `reply`: what the worker of the call replies;
 * `not_joined`: it waits for the phone.
 */
async function stepOf(
  call: PhoneCallRow,
  log: (passedMs: number) => CallLogEntryBody | undefined | null,
  reply: (passedMs: number) => Reply = () => 'accepted',
  /** Time that reading the log takes. */
  readMs = 0,
): Promise<{ step: NextStep; afterMs: number }> {
  const clock = new VirtualClock();
  const startMs = clock.nowMs();
  const callLogs = {
    last: async (): Promise<StoredCallLogEntry | null> => {
      const body = log(clock.nowMs() - startMs);
      if (readMs > 0) await delay(clock, readMs);
      if (body === null) throw new BusUnavailableError('call log', new Error('away'));
      const envelope = { callId, accountId: newId(), seq: 1, epoch: 1, wallClockMs: 1 };
      return body ? { event: { ...envelope, body }, position: 1 } : null;
    },
  };
  const commands = {
    send: () => {
      const outcome = reply(clock.nowMs() - startMs);
      return log(0) === null
        ? Promise.reject(new BusUnavailableError('call command', new Error('away')))
        : Promise.resolve(outcome === 'no worker' ? null : { outcome });
    },
  };
  const result = nextStep({ callLogs, commands, eventSeal, clock }, call).then((step) => ({
    step,
    afterMs: clock.nowMs() - startMs,
  }));
  await clock.advance(1000 + 2 * readMs);
  return result;
}

describe('nextStep', () => {
  it('streams immediately when the call was not joined yet', async () => {
    for (const last of [undefined, { ...joined }, null]) {
      const { step, afterMs } = await stepOf(row(), () => last);
      expect([step, afterMs < 50]).toEqual([{ kind: 'stream' }, true]);
    }
  });

  it('streams again after a pause when the call continues or no worker had capacity', async () => {
    for (const [call, last] of [
      [row({ joined_at: past }), joined],
      [row({ refused_at: past }), undefined],
    ] as const) {
      const { step, afterMs } = await stepOf(call, () => last);
      expect(step).toEqual({ kind: 'stream' });
      expect(afterMs).toBeGreaterThanOrEqual(500);
      expect(afterMs).toBeLessThan(700);
    }
  });

  it('streams as soon as a worker waits for the phone', async () => {
    const isAwaited = (passedMs: number): Reply => (passedMs < 200 ? 'accepted' : 'not_joined');
    const { step, afterMs } = await stepOf(row({ joined_at: past }), () => joined, isAwaited);
    expect(step).toEqual({ kind: 'stream' });
    expect(afterMs).toBeLessThan(300);
    const over = row({ joined_at: past, ended_at: past });
    expect((await stepOf(over, () => joined, isAwaited)).step).toEqual({ kind: 'hang_up' });
  });

  it('streams at once when the worker of the call was lost', async () => {
    const isLost = (): Reply => 'no worker';
    const { step, afterMs } = await stepOf(row({ joined_at: past }), () => joined, isLost);
    expect([step, afterMs < 50]).toEqual([{ kind: 'stream' }, true]);
  });

  it('sees an end that was logged while it asked for the worker', async () => {
    let last: CallLogEntryBody = joined;
    const hasJustEnded = (): Reply => {
      last = ended();
      return 'no worker';
    };
    const { step } = await stepOf(row({ joined_at: past }), () => last, hasJustEnded);
    expect(step).toEqual({ kind: 'hang_up' });
  });

  it('pauses although no worker has a call that was rejected for lack of capacity', async () => {
    const { step, afterMs } = await stepOf(
      row({ refused_at: past }),
      () => undefined,
      () => 'no worker',
    );
    expect([step, afterMs >= 500]).toEqual([{ kind: 'stream' }, true]);
  });

  it('hangs up or transfers as soon as the log contains the end', async () => {
    const late = (end: CallLogEntryBody) => (passedMs: number) => (passedMs < 200 ? joined : end);
    const { step, afterMs } = await stepOf(row({ joined_at: past }), late(ended()));
    expect(step).toEqual({ kind: 'hang_up' });
    expect(afterMs).toBeLessThan(300);
    const transferred = await stepOf(row({ joined_at: past }), late(ended('+49')));
    expect(transferred.step).toEqual({ kind: 'transfer', target: '+49' });
    expect((await stepOf(row(), () => ended('+49'))).step).toEqual({ kind: 'transfer', target: '+49' });
  });

  it('reads the log once more when reading took as long as the wait', async () => {
    const late = (passedMs: number): CallLogEntryBody => (passedMs < 200 ? joined : ended());
    expect((await stepOf(row({ joined_at: past }), late, () => 'accepted', 600)).step).toEqual({
      kind: 'hang_up',
    });
  });

  it('follows the database row when the log does not contain the end', async () => {
    for (const last of [undefined, null, joined]) {
      const over = row({ joined_at: past, ended_at: past });
      expect((await stepOf(over, () => last)).step).toEqual({ kind: 'hang_up' });
      const transferred = { ...over, transfer_to: '+49' };
      expect((await stepOf(transferred, () => last)).step).toEqual({ kind: 'transfer', target: '+49' });
    }
    expect((await stepOf(row({ joined_at: past }), () => null)).step).toEqual({ kind: 'stream' });
  });

  it('decrypts the end entry when the call has zero data retention', async () => {
    const over = row({ joined_at: past, ended_at: past, retention_policy: 'zdr' });
    const sealed = eventSeal.seal({ callId, body: ended('+49') }).body;
    expect(JSON.stringify(sealed)).not.toContain('+49');
    expect((await stepOf(over, () => sealed)).step).toEqual({ kind: 'transfer', target: '+49' });
    expect((await stepOf(over, () => ended())).step).toEqual({ kind: 'hang_up' });
  });
});
