import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import { ControlPlaneHarness, JOIN_TOKEN_SECRETS } from '../support/control-plane-harness.ts';
import { MediaWorkerProcess } from '../support/media-worker-process.ts';
import { Sipp, sippReceive, sippSend } from '../support/sip/sipp.ts';
import { SipPeer, type PeerCall } from '../support/sip/sip-peer.ts';

const HOSTS = ['127.0.0.1', '::1'];
const SPEECH = { systemPrompt: 'You are Ada.', firstSpeakerSettings: { agent: { text: 'Hello.' } } };

const peers = new Map<string, SipPeer>();

/** A dual-stack worker, and one peer per address family. */
const harness = await ControlPlaneHarness.start();
for (const host of HOSTS) peers.set(host, await SipPeer.open({ host }));
const account = await harness.account('SCALE', null, ['sip']);
const worker = await MediaWorkerProcess.start(harness.nats.url, {
  JOIN_TOKEN_SECRET: JOIN_TOKEN_SECRETS[0] ?? '',
  DATA_DIR: harness.objectDirectory,
  DRAIN_LIMIT_MS: '300',
  OUTBOUND_ALLOW_PRIVATE: HOSTS.join(),
  SIP_LISTEN_ADDRESS: HOSTS.join(),
  SIP_ADDRESS: HOSTS.join(),
});
const agent = await account.post<Agent>('/api/agents', { name: 'Ada', callTemplate: SPEECH });
const allowedAgents = [{ agentId: agent.body.agentId, toUserPattern: '^\\+49' }];
expect((await account.send('PATCH', '/api/sip', { allowedAgents })).status).toBe(200);
const trunk = { name: 'Line', allowedCidrRanges: ['127.0.0.0/8', '::1/128'] };
expect((await account.post('/api/sip/trunks', trunk)).status).toBe(201);
afterAll(async () => {
  await worker[Symbol.asyncDispose]();
  for (const peer of peers.values()) await peer[Symbol.asyncDispose]();
  await harness.stop();
});

const inUri = (host: string): string => (host.includes(':') ? `[${host}]` : host);

function connectionLine(sdp: string | null): string | undefined {
  return sdp?.split('\r\n').find((line) => line.startsWith('c='));
}

describe.each([
  ['127.0.0.1', 'c=IN IP4 127.0.0.1'],
  ['::1', 'c=IN IP6 ::1'],
])('a dual-stack worker and a peer at %s', (host, connection) => {
  it.each(['udp', 'tcp'])('exchange audio in a call to the peer over %s', async (transport) => {
    const peer = peers.get(host)!;
    const to = `sip:ann@${inUri(host)}:${peer.port};transport=${transport}`;
    const medium = { sip: { outgoing: { to, from: 'sip:agent@calls.test' } } };
    expect((await account.post<Call>('/api/calls', { ...SPEECH, medium })).status).toBe(201);
    const invite = await peer.invited();
    expect(connectionLine(invite.sdp)).toBe(connection);
    const text = peer.received.findLast((message) => message.startsWith('INVITE')) ?? '';
    const own = `${inUri(host)}:${worker.sipPort}`;
    expect(text).toContain(`Via: SIP/2.0/${transport.toUpperCase()} ${own};`);
    expect(text).toContain(`Contact: <sip:${own}`);
    const { dialog, audioReceived } = await peer.take(invite);
    await audioReceived;
    await dialog.bye();
  });

  it('exchange audio in a call from the peer, and the worker hangs up', async () => {
    const peer = peers.get(host)!;
    const outboundProxy = `${inUri(host)}:${worker.sipPort}`;
    const call = await peer.call(`sip:+4930@${account.accountId}.sip.test`, { outboundProxy });
    const { dialog, audioReceived } = call as PeerCall;
    expect(connectionLine(dialog.remoteSdp)).toBe(connection);
    await audioReceived;
    const { results } = await account.list<Call>('/api/calls');
    const path = `/api/calls/${results[0]?.callId}/send_data_message`;
    expect((await account.send('POST', path, { type: 'hang_up' })).status).toBe(204);
    expect(await dialog.ended).toEqual({ by: 'remote' });
  });
});

describe('sipp over IPv6', () => {
  it('calls the worker, is answered with an IPv6 address, and hangs up', async () => {
    const to = `To: <sip:+4930@${account.accountId}.sip.test>`;
    const common = (method: string, cseq: number, remote: string): string[] => [
      `${method} sip:+4930@${account.accountId}.sip.test SIP/2.0`,
      'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
      'Max-Forwards: 70',
      'From: <sip:sipp@[local_ip]:[local_port]>;tag=[call_number]',
      remote,
      'Call-ID: [call_id]',
      `CSeq: ${cseq} ${method}`,
      'Contact: <sip:sipp@[local_ip]:[local_port]>',
    ];
    const sdp = ['v=0', 'o=- 1 1 IN IP6 ::1', 's=-', 'c=IN IP6 ::1', 't=0 0', 'm=audio 29998 RTP/AVP 0', ''];
    const content = ['Content-Type: application/sdp', 'Content-Length: [len]', '', ...sdp];
    const empty = ['Content-Length: 0', '', ''];
    await using sipp = await Sipp.start(
      [
        sippSend([...common('INVITE', 1, to), ...content], true),
        sippReceive('response="100" optional="true"'),
        sippReceive('response="180" optional="true"'),
        sippReceive('response="200"'),
        sippSend([...common('ACK', 1, '[last_To:]'), ...empty]),
        sippSend([...common('BYE', 2, '[last_To:]'), ...empty], true),
        sippReceive('response="200"'),
      ],
      worker.sipPort,
      '::1',
    );
    await sipp.done;
  });
});
