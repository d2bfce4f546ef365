import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { SipTrunk } from '@calls/api-contract/rest/sip-trunk';
import { ControlPlaneHarness, JOIN_TOKEN_SECRETS } from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';
import { MediaWorkerProcess } from '../support/media-worker-process.ts';
import { SipPeer, type PeerCall } from '../support/sip/sip-peer.ts';

const TRUNKS = '/api/sip/trunks';
const RIGHT = { username: 'peer', password: 'open sesame' };

const [harness, peer] = await Promise.all([ControlPlaneHarness.start(), SipPeer.open()]);
const account = await harness.account('SCALE', null, ['sip']);
const worker = await MediaWorkerProcess.start(harness.nats.url, {
  JOIN_TOKEN_SECRET: JOIN_TOKEN_SECRETS[0] ?? '',
  DATA_DIR: harness.objectDirectory,
  DRAIN_LIMIT_MS: '300',
  OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
});
const template = { systemPrompt: 'You are Ada.', firstSpeakerSettings: { agent: { text: 'Hello.' } } };
const agent = await account.post<Agent>('/api/agents', { name: 'Ada', callTemplate: template });
const allowedAgents = [{ agentId: agent.body.agentId, toUserPattern: '^\\+49' }];
expect((await account.send('PATCH', '/api/sip', { allowedAgents })).status).toBe(200);
afterAll(async () => {
  await worker[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
  await harness.stop();
});

async function trunk(body: Record<string, unknown>): Promise<string> {
  const created = await account.post<SipTrunk>(TRUNKS, { name: 'Line', ...body });
  expect(created.status).toBe(201);
  return `${TRUNKS}/${created.body.trunkId}`;
}

/** Calls a number of the account. Returns the call, or the status of its rejection. */
async function callIn(number: string, credentials?: typeof RIGHT): Promise<PeerCall | number | null> {
  const to = `sip:${number}@${account.accountId}.sip.test`;
  const outboundProxy = `127.0.0.1:${worker.sipPort}`;
  const call = await peer.call(to, { outboundProxy, ...(credentials && { credentials }) });
  return 'dialog' in call ? call : call.status;
}

async function established(number: string, credentials?: typeof RIGHT): Promise<PeerCall> {
  const call = await callIn(number, credentials);
  if (call === null || typeof call === 'number') throw new Error(`rejected: ${call}`);
  await call.audioReceived;
  return call;
}

function audioLine(sdp: string | null): string | undefined {
  return sdp?.split('\r\n').find((line) => line.startsWith('m=audio'));
}

describe('calls from a SIP trunk', () => {
  it('are admitted with the credentials of the trunk, to its numbers and up to its call limit', async () => {
    expect(await callIn('+4930')).toBe(403);
    const path = await trunk({
      incomingUsername: RIGHT.username,
      incomingPassword: RIGHT.password,
      numbers: ['4930'],
      maxCalls: 1,
    });
    expect(await callIn('+4930')).toBe(401);
    expect(await callIn('+4930', { ...RIGHT, password: 'wrong' })).toBe(401);
    expect(await callIn('+4930', { ...RIGHT, username: 'another' })).toBe(401);
    expect(await callIn('+4940', RIGHT)).toBe(404);
    const call = await established('+4930', RIGHT);
    expect(await callIn('+4930', RIGHT)).toBe(503);
    await call.dialog.bye();
    const next = await eventually(() => established('+4930', RIGHT));
    await next.dialog.bye();
    await account.send('PATCH', path, { enabled: false });
    expect(await callIn('+4930', RIGHT)).toBe(403);
    await account.send('DELETE', path);
  });

  it('are admitted from the addresses of the trunk, to its numbers', async () => {
    const path = await trunk({ allowedCidrRanges: ['127.0.0.0/8'], numbers: ['+49-30'] });
    const call = await established('+4930');
    await call.dialog.bye();
    expect(await callIn('+4940')).toBe(404);
    await account.send('DELETE', path);
  });

  it('are answered with the first codec of the trunk that the caller offers, or rejected with 488 without one', async () => {
    const ofTrunk = { allowedCidrRanges: ['127.0.0.0/8'], numbers: ['+4930'] };
    const path = await trunk({ ...ofTrunk, codecs: ['opus', 'PCMA', 'G722'] });
    const call = await established('+4930');
    expect(audioLine(call.dialog.remoteSdp)).toMatch(/RTP\/AVP 8 101$/u);
    await call.dialog.bye();
    expect((await account.send('PATCH', path, { codecs: ['opus'] })).status).toBe(200);
    expect(await callIn('+4930')).toBe(488);
    expect((await account.send('PATCH', path, { codecs: [] })).status).toBe(200);
    const byDefault = await established('+4930');
    expect(audioLine(byDefault.dialog.remoteSdp)).toMatch(/RTP\/AVP 9 101$/u);
    await byDefault.dialog.bye();
    await account.send('DELETE', path);
  });
});

describe('a call to a SIP trunk', () => {
  it('is sent to the proxy of the trunk, with the number of the trunk in From', async () => {
    const path = await trunk({
      proxy: `127.0.0.1:${peer.port}`,
      numbers: ['+49-30'],
      codecs: ['PCMA', 'G722'],
    });
    const trunkId = path.split('/').at(-1);
    const medium = { sip: { outgoing: { to: '+49 (40) 1', trunkId } } };
    const created = await account.post<Call>('/api/calls', {
      systemPrompt: 'You are Ada.',
      firstSpeakerSettings: { agent: { text: 'Hello.' } },
      medium,
    });
    expect(created.status).toBe(201);
    const invite = await peer.invited();
    expect([invite.to.user, invite.from.uri]).toEqual(['+49401', 'sip:+4930@127.0.0.1']);
    expect(audioLine(invite.sdp)).toMatch(/RTP\/AVP 8 9 101$/u);
    const { dialog, audioReceived } = await peer.take(invite);
    await audioReceived;
    await dialog.bye();
  });
});
