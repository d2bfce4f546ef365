import { afterAll, expect, it } from '@jest/globals';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { Call } from '@calls/api-contract/rest/call';
import { LostCalls } from '@calls/control-plane/lost-calls/lost-calls';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { ControlPlaneHarness } from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';

const GRACE_MS = 10_000;

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

/** Uses a test clock and a stable bus; everything else is real. */
function lostCalls() {
  const clock = new VirtualClock();
  const { bus, store } = harness;
  const lost = new LostCalls({
    db: store.db,
    bus: {
      ...bus,
      connection: { connected: true, connectedForMs: Infinity },
    },
    clock,
    log: silentLogger,
    reconnectGraceMs: GRACE_MS,
    // The consumer of the control-plane handles the entries.
    apply: () => Promise.resolve(),
  });
  return { clock, lost };
}

/** The state that a lost worker left after these entries. */
async function callOf(workerId: string, ...bodies: CallLogEntryBody[]): Promise<Call> {
  const call = await account.createCall({ joinTimeout: '300s' });
  // An earlier call is delivered again if the machine was too busy to acknowledge it in time.
  const delivery = await eventually(async () => {
    const taken = await harness.bus.createdCalls.take('standard', 2000, new AbortController().signal);
    taken?.ack();
    expect(taken?.call.spec.callId).toBe(call.callId);
    return taken!;
  });
  await harness.bus.leases.acquire(delivery.call, { workerId, url: 'ws://nowhere' });
  const event = harness.eventsOf(call, account.accountId);
  let position = 0;
  for (const [i, body] of bodies.entries())
    position = await harness.bus.callLogs.append(event(i + 1, body, Date.now() + i * 100), position);
  return call;
}

const joinedBy = (workerId: string): CallLogEntryBody => ({ type: 'joined', clientVersion: null, workerId });

async function isJoined(call: Call): Promise<void> {
  await eventually(async () => expect((await account.call(call.callId)).joined).not.toBeNull());
}

async function endedCall({ callId }: Call): Promise<Call> {
  await eventually(async () => expect((await account.call(callId)).ended).not.toBeNull());
  return account.call(callId);
}

it('LostCalls ends joined calls of lost workers without charge when no worker continues them', async () => {
  const [gone, live] = [`gone-${newId()}`, `live-${newId()}`];
  const orphan = await callOf(gone, joinedBy(gone), { type: 'output_medium_set', medium: 'text' });
  const served = await callOf(gone, joinedBy(gone));
  const other = await callOf(live, joinedBy(live));
  for (const call of [orphan, served, other]) await isJoined(call);
  await harness.bus.workers.announce({
    workerId: live,
    url: 'ws://x',
    capacity: 1,
    activeCalls: 1,
    draining: false,
  });
  // Another worker already runs it, but the row is not updated yet.
  const taker = harness.bus.commands.serve(served.callId, () => ({ outcome: 'accepted' }));
  await harness.bus.connection.ping();
  const { clock, lost } = lostCalls();
  await lost.endOrphans();
  await clock.advance(GRACE_MS - 1);
  await lost.endOrphans();
  expect(await harness.bus.callLogs.last(orphan.callId)).toMatchObject({ event: { seq: 2 } });
  await clock.advance(1);
  await harness.bus.workers.announce({
    workerId: live,
    url: 'ws://x',
    capacity: 1,
    activeCalls: 1,
    draining: false,
  });
  await Promise.all([lost.endOrphans(), lost.endOrphans()]);
  expect(await endedCall(orphan)).toMatchObject({
    endReason: 'system_error',
    billingStatus: 'BILLING_STATUS_FREE_SYSTEM_ERROR',
  });
  const log = await harness.bus.callLogs.read(orphan.callId);
  expect(log.map(({ event }) => [event.seq, event.epoch > 1, event.body.type])).toEqual([
    [1, false, 'joined'],
    [2, false, 'output_medium_set'],
    [3, true, 'ended'],
  ]);
  expect((await harness.bus.leases.find(orphan.callId))?.call).toBeNull();
  for (const call of [served, other]) expect((await account.call(call.callId)).ended).toBeNull();
  taker[Symbol.dispose]();
});

it('LostCalls ends calls that were not joined in time, with system_error when a client was refused', async () => {
  const gone = `gone-${newId()}`;
  const calls = [await callOf(gone), await callOf(gone)];
  const [unjoined, refused] = calls;
  // The order matters, because the harness's control-plane also ends overdue calls.
  await harness.query('update calls set refused_at = now() where call_id = $1', refused!.callId);
  await harness.query("update calls set expires_at = now() - interval '1 minute' where call_id = any($1)", [
    unjoined!.callId,
    refused!.callId,
  ]);
  const { lost } = lostCalls();
  await Promise.all([lost.endOverdue(), lost.endOverdue()]);
  expect(await endedCall(unjoined!)).toMatchObject({ endReason: 'unjoined', joined: null });
  expect(await endedCall(refused!)).toMatchObject({ endReason: 'system_error', joined: null });
  for (const { callId } of calls) {
    expect((await harness.bus.callLogs.read(callId)).map(({ event }) => event.body.type)).toEqual(['ended']);
  }
});

it.each([
  ['', {}],
  [' with callbacks', { callbacks: { ended: { url: 'https://example.com/' } } }],
])(
  'calls%s end with system_error if clients were rejected, even if a worker waited later',
  async (_, extra) => {
    const worker = `late-${newId()}`;
    const call = await callOf(worker);
    await harness.query(
      'update calls set refused_at = now(), settings = settings || $2 where call_id = $1',
      call.callId,
      extra,
    );
    const end = { endReason: 'unjoined', joinedAtMs: null, inputTokens: 0, outputTokens: 0 } as const;
    const event = harness.eventsOf(call, account.accountId);
    await harness.bus.callLogs.append(event(1, { type: 'ended', ...end }, Date.now()), 0);
    expect(await endedCall(call)).toMatchObject({
      endReason: 'system_error',
      billingStatus: 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION',
      joined: null,
    });
  },
);

it('LostCalls does not end calls that were joined in time while their row is outdated', async () => {
  const [late, unjoined] = [await callOf('w1', joinedBy('w1')), await callOf('w1')];
  await isJoined(late);
  await harness.query('update calls set joined_at = null where call_id = $1', late.callId);
  await harness.query("update calls set expires_at = now() - interval '1 minute' where call_id = any($1)", [
    late.callId,
    unjoined.callId,
  ]);
  const { lost } = lostCalls();
  await lost.endOverdue();
  expect(await endedCall(unjoined)).toMatchObject({ endReason: 'unjoined' });
  expect((await harness.bus.callLogs.read(late.callId)).map(({ event }) => event.body.type)).toEqual([
    'joined',
  ]);
  expect((await harness.bus.leases.find(late.callId))?.holder?.workerId).toBe('w1');
});

it('LostCalls leaves joined calls to their worker, even if a clock was set forward', async () => {
  const [served, lonely] = [await callOf('w2', joinedBy('w2')), await callOf('w2', joinedBy('w2'))];
  for (const call of [served, lonely]) await isJoined(call);
  using _worker = harness.bus.commands.serve(served.callId, () => ({ outcome: 'accepted' }));
  await harness.bus.connection.ping();
  await harness.query("update calls set expires_at = now() - interval '1 hour' where call_id = any($1)", [
    served.callId,
    lonely.callId,
  ]);
  await lostCalls().lost.endOverdue();
  expect(await endedCall(lonely)).toMatchObject({ endReason: 'system_error' });
  expect((await harness.bus.leases.find(served.callId))?.holder?.workerId).toBe('w2');
  expect((await account.call(served.callId)).ended).toBeNull();
});
