import { afterAll, describe, expect, it } from '@jest/globals';
import { TRANSFER_LEG_REQUEST, type TransferLegReplyMessage } from '@calls/api-contract/bus/transfer-legs';
import type { CallStage } from '@calls/api-contract/rest/call-records';
import type { SipTrunk } from '@calls/api-contract/rest/sip-trunk';
import { createTransferLegSeal } from '@calls/bus/call-seal';
import { newId } from '@calls/foundation/ids';
import { ControlPlaneHarness, JOIN_TOKEN_SECRETS } from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';

const sealOf = createTransferLegSeal(JOIN_TOKEN_SECRETS);
const TARGET = '+4930777';

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, ['sip']);
const call = await account.createCall({});
afterAll(() => harness.stop());

async function trunk(body: Record<string, unknown> = {}): Promise<string> {
  const created = await account.post<SipTrunk>('/api/sip/trunks', {
    ...{ name: 'Line', proxy: 'trunk.example.com:5080', numbers: ['+4930555'] },
    ...body,
  });
  expect(created.status).toBe(201);
  return created.body.trunkId;
}

/** Requests a leg. Returns the response as sent on the bus and decrypted. */
async function ask(
  question: { target?: string; trunkId?: string; from?: string; legId?: string } = {},
  { callId } = call,
  { accountId } = account,
): Promise<{ legId: string; sealed: TransferLegReplyMessage; opened: TransferLegReplyMessage }> {
  const { legId = newId() } = question;
  const asked = { accountId, callId, legId, target: TARGET, trunkId: null, from: null, ...question };
  const sealed = await harness.bus.requests.send(TRANSFER_LEG_REQUEST, asked, new AbortController().signal);
  return { legId, sealed, opened: sealOf(legId).open(sealed) };
}

describe('the outgoing call of a warm transfer', () => {
  it('uses the requested trunk and seals its credentials', async () => {
    const trunkId = await trunk({
      ...{ username: 'reception', password: 'a hidden password' },
      ...{ outboundProxy: 'edge.example.com', codecs: ['PCMA'] },
    });
    const { sealed, opened } = await ask({ trunkId });
    expect(opened).toEqual({
      ...{ kind: 'trunk', to: `sip:${TARGET}@trunk.example.com:5080` },
      from: 'sip:+4930555@trunk.example.com',
      ...{ username: 'reception', password: 'a hidden password' },
      ...{ outboundProxy: 'edge.example.com', codecs: ['PCMA'] },
    });
    expect(JSON.stringify(sealed)).not.toMatch(/hidden|reception|\+4930/u);
  });

  it('uses the credentials of the trunk only for the server of the trunk', async () => {
    const trunkId = await trunk({ username: 'reception', password: 'a hidden password' });
    const none = { kind: 'trunk', to: 'sip:desk@elsewhere.test', username: null, password: null };
    expect((await ask({ trunkId, target: 'sip:desk@elsewhere.test' })).opened).toMatchObject(none);
    const own = await ask({ trunkId, target: 'sip:desk@TRUNK.example.com' });
    expect(own.opened).toMatchObject({ username: 'reception' });
  });

  it('uses the trunk of the original call with the requested caller', async () => {
    const trunkId = await trunk({ numbers: ['+4930555', '+4930556'] });
    const placed = await account.createCall({ medium: { sip: { outgoing: { to: '+4930111', trunkId } } } });
    const { opened } = await ask({ from: '+4930556' }, placed);
    expect(opened).toMatchObject({
      kind: 'trunk',
      to: `sip:${TARGET}@trunk.example.com:5080`,
      from: 'sip:+4930556@trunk.example.com',
    });
  });

  it('is left to the worker when there is no trunk', async () => {
    expect((await ask()).opened).toEqual({ kind: 'no_trunk' });
  });

  it.each([
    ['an unknown trunk id', () => Promise.resolve(newId())],
    ['an invalid trunk id', () => Promise.resolve('office')],
    ['a disabled trunk', () => trunk({ enabled: false })],
    ['a trunk without a proxy', () => trunk({ proxy: null })],
  ])('is rejected for %s', async (_name, make) => {
    const { opened } = await ask({ trunkId: await make() });
    expect(opened).toEqual({ kind: 'refused', detail: expect.stringMatching(/trunk/u) });
  });

  it('is rejected when the trunk has its maximum of live calls', async () => {
    const trunkId = await trunk({ maxCalls: 1 });
    await account.createCall({ medium: { sip: { outgoing: { to: '+4930111', trunkId } } } });
    const { opened } = await ask({ trunkId });
    expect(opened).toEqual({ kind: 'refused', detail: expect.stringContaining('maximum number') });
  });

  it('counts as a live call of the trunk until the transfer ends or the original call fails over', async () => {
    const trunkId = await trunk({ maxCalls: 1 });
    const user = await account.createCall({});
    const { legId, opened } = await ask({ trunkId }, user);
    expect(opened).toMatchObject({ kind: 'trunk' });
    // A repeated request is not counted twice.
    expect((await ask({ trunkId, legId }, user)).opened).toEqual(opened);
    const outgoing = { medium: { sip: { outgoing: { to: '+4930111', trunkId } } } };
    expect(await account.post('/api/calls', outgoing)).toMatchObject({
      status: 429,
      body: { code: 'trunk_concurrency' },
    });
    const refused = { kind: 'refused', detail: expect.stringContaining('maximum number') };
    expect((await ask({ trunkId }, user)).opened).toEqual(refused);

    const event = harness.eventsOf(user, account.accountId);
    const stages = await account.request<{ results: CallStage[] }>(`/api/calls/${user.callId}/stages`);
    const stageId = stages.body.results[0]?.callStageId ?? '';
    const note = { type: 'noted', stageId, severity: 'info', callTimestampMs: 0, text: '' } as const;
    const ended = { ...note, eventType: 'warm_transfer_ended', extras: { transferId: legId } };
    await harness.bus.callLogs.append(event(1, ended));
    const second = await eventually(async () => {
      const asked = await ask({ trunkId }, user);
      expect(asked.opened).toMatchObject({ kind: 'trunk' });
      return asked;
    });
    expect(second.legId).not.toBe(legId);
    await harness.bus.callLogs.append(event(2, { type: 'taken_over', workerId: 'other' }));
    await eventually(async () =>
      expect((await ask({ trunkId }, user)).opened).toMatchObject({ kind: 'trunk' }),
    );
  });

  it('is rejected for an account without SIP and for a call of another account', async () => {
    const other = await harness.account('SCALE');
    const theirs = await other.createCall({});
    expect((await ask({}, theirs, other)).opened).toEqual({
      kind: 'refused',
      detail: 'The feature sip is not enabled for this account.',
    });
    expect((await ask({}, theirs)).opened).toEqual({ kind: 'refused', detail: 'Call not found.' });
  });
});
