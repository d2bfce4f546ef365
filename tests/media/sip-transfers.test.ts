import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { CallSpec } from '@calls/api-contract/call-spec';
import { callSpec, sipSpec, stageSpec } from '@calls/testkit/call-spec';
import { SipPeer } from '../support/sip/sip-peer.ts';
import { describeWithPhone, SoftPhone } from '../support/sip/soft-phone.ts';
import { WorkerPool } from '../support/worker-pool.ts';

const HOST = '127.0.0.1';

const open: AsyncDisposable[] = [];

const [pool, ann, bob] = await Promise.all([WorkerPool.open(), SipPeer.open(), SipPeer.open()]);
await pool.atLeast(1);
afterEach(async () => {
  for (const part of open.splice(0)) await part[Symbol.asyncDispose]();
});
afterAll(async () => {
  for (const part of [ann, bob, pool]) await part[Symbol.asyncDispose]();
});

/** An outgoing call of an agent that speaks long enough to be audible to each party after a transfer. */
async function place(to: string, outboundProxy?: string): Promise<CallSpec> {
  const call = callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local' }),
    firstSpeaker: {
      ...{ who: 'agent', text: 'This is a long story. '.repeat(60), prompt: null },
      ...{ delayMs: 0, uninterruptible: true },
    },
    medium: sipSpec({ to, ...(outboundProxy && { outboundProxy }) }),
  });
  await pool.queue(call);
  return call;
}

const uriOf = (peer: SipPeer, user: string): string => `sip:${user}@${HOST}:${peer.port}`;

describe('a SIP peer', () => {
  it('transfers the call to another party by REFER, and the conversation continues there', async () => {
    const call = await place(uriOf(ann, 'ann'));
    const first = await ann.take(await ann.invited());
    await first.audioReceived;
    const referred = first.dialog.refer(uriOf(bob, 'bob'));
    const invite = await bob.invited();
    expect([invite.to.user, invite.from.uri]).toEqual(['bob', 'sip:agent@calls.test']);
    invite.ring();
    const second = await bob.take(invite);
    expect(await referred).toBe(true);
    expect(await first.dialog.ended).toEqual({ by: 'remote' });
    await second.audioReceived;
    await second.dialog.bye();
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({ endReason: 'hangup' });
  });

  it('remains in the call when the other party rejects it', async () => {
    const call = await place(uriOf(ann, 'ann'));
    const first = await ann.take(await ann.invited());
    await first.audioReceived;
    const referred = first.dialog.refer(uriOf(bob, 'bob'));
    (await bob.invited()).reject(486, 'Busy Here');
    expect(await referred).toBe(false);
    await first.dialog.bye();
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({ endReason: 'hangup' });
  });

  it('transfers a call that was placed through an outbound proxy through that proxy', async () => {
    const call = await place('sip:ann@pbx.invalid', `${HOST}:${ann.port}`);
    const first = await ann.take(await ann.invited());
    await first.audioReceived;
    const referred = first.dialog.refer('sip:bob@pbx.invalid');
    const invite = await ann.invited();
    expect(invite.requestUri).toBe('sip:bob@pbx.invalid');
    const second = await ann.take(invite);
    expect(await referred).toBe(true);
    await second.audioReceived;
    await second.dialog.bye();
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({ endReason: 'hangup' });
  });

  it('can hang up before the other party answers, which then continues the call', async () => {
    const call = await place(uriOf(ann, 'ann'));
    const first = await ann.take(await ann.invited());
    await first.audioReceived;
    void first.dialog.refer(uriOf(bob, 'bob'));
    const invite = await bob.invited();
    invite.ring();
    await first.dialog.bye();
    const second = await bob.take(invite);
    await second.audioReceived;
    await second.dialog.bye();
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({ endReason: 'hangup' });
  });

  it('is replaced by another party that sends an INVITE with Replaces', async () => {
    const call = await place(uriOf(ann, 'ann'));
    const first = await ann.take(await ann.invited());
    await first.audioReceived;
    const ok = ann.sent.findLast((text) => text.startsWith('SIP/2.0 200') && /CSeq: \d+ INVITE/u.test(text));
    const tagOf = (header: string): string =>
      new RegExp(`^${header}:.*;tag=(?<tag>[^;\\r]+)`, 'mu').exec(ok ?? '')?.groups?.['tag'] ?? '';
    const replaces = `${first.dialog.callId};to-tag=${tagOf('From')};from-tag=${tagOf('To')}`;
    const second = await bob.call(`sip:agent@${HOST}:${pool.any.sipPort}`, {
      headers: [['Replaces', replaces]],
    });
    if (!('dialog' in second)) throw new Error(`refused: ${second.status} ${second.reason}`);
    expect(await first.dialog.ended).toEqual({ by: 'remote' });
    await second.audioReceived;
    await second.dialog.bye();
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({ endReason: 'hangup' });
  });
});

describeWithPhone('baresip', () => {
  it('transfers the call to another party by REFER', async () => {
    const phone = await SoftPhone.open({ user: 'ann', answersAtOnce: true });
    open.push(phone);
    const call = await place(phone.uri);
    await phone.until('CALL_RTPESTAB');
    await phone.transfer(uriOf(bob, 'bob'));
    const second = await bob.take(await bob.invited());
    await second.audioReceived;
    await phone.until('CALL_CLOSED');
    await second.dialog.bye();
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({ endReason: 'hangup' });
  });
});
