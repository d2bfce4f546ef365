import { afterAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import type { IncomingInvite } from '@calls/sip/calls';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';
import { eventually } from '../support/eventually.ts';
import { Sipp, sippReceive, sippResponse, sippSend } from '../support/sip/sipp.ts';

const HOST = '127.0.0.1';
const SDP = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 30000 RTP/AVP 0',
  '',
];

const invites: IncomingInvite[] = [];

const endpoint = await openSipEndpoint({
  host: HOST,
  port: 0,
  address: HOST,
  names: createNameResolver(),
  clock: systemClock,
  log: silentLogger,
  onInvite: (invite) => invites.push(invite),
  onMessage: () => undefined,
});
afterAll(async () => {
  await endpoint[Symbol.asyncDispose]();
});

describe('reliable provisional responses with sipp', () => {
  it('are acknowledged in a call to sipp', async () => {
    const sdp = SDP.join('\n');
    const scenario = [
      sippReceive('request="INVITE"', { via: 'Via' }),
      sippResponse('183 Session Progress', {
        to: '[last_To:];tag=sipp',
        headers: ['Require: 100rel', 'RSeq: 5'],
        sdp,
      }),
      sippReceive('request="PRACK"'),
      sippResponse('200 OK'),
      sippResponse('200 OK', { via: 'Via:[$via]', cseq: 'CSeq: 1 INVITE', sdp }),
      sippReceive('request="ACK"'),
      sippReceive('request="BYE"'),
      sippResponse('200 OK'),
    ];
    await using sipp = await Sipp.start(scenario, null);
    const call = endpoint.invite({
      to: `sip:ann@${HOST}:${sipp.port}`,
      from: `sip:agent@${HOST}`,
      credentials: null,
      sdp: SDP.join('\r\n'),
      ringLimitMs: 10_000,
    });
    const answer = await call.answered;
    if (answer.kind !== 'answered') throw new Error(answer.reason);
    await answer.dialog.bye();
    await sipp.done;
  });

  it('are sent in a call from sipp, which requires them', async () => {
    const request = (
      method: string,
      cseq: number,
      headers: readonly string[],
      body: readonly string[] = [],
    ) =>
      sippSend(
        [
          `${method} sip:agent@[remote_ip]:[remote_port] SIP/2.0`,
          'Via: SIP/2.0/UDP [local_ip]:[local_port];branch=[branch];rport',
          'Max-Forwards: 70',
          'From: <sip:sipp@[local_ip]:[local_port]>;tag=[call_number]',
          `To: <sip:agent@[remote_ip]:[remote_port]>${cseq > 1 || method === 'ACK' ? '[peer_tag_param]' : ''}`,
          'Call-ID: [call_id]',
          `CSeq: ${cseq} ${method}`,
          'Contact: <sip:sipp@[local_ip]:[local_port]>',
          ...headers,
          'Content-Length: [len]',
          '',
          ...body,
        ],
        method !== 'ACK',
      );
    await using sipp = await Sipp.start(
      [
        request('INVITE', 1, ['Require: 100rel', 'Content-Type: application/sdp'], SDP),
        sippReceive('response="100" optional="true"'),
        sippReceive('response="180"', { rseq: 'RSeq' }),
        request('PRACK', 2, ['RAck:[$rseq] 1 INVITE']),
        sippReceive('response="200"'),
        sippReceive('response="200"'),
        request('ACK', 1, []),
        request('BYE', 3, []),
        sippReceive('response="200"'),
      ],
      endpoint.port,
    );
    const invite = await eventually(() => {
      const [first] = invites;
      if (!first) throw new Error('no INVITE');
      return first;
    });
    invite.ring();
    const dialog = await invite.accept(SDP.join('\r\n'));
    expect(await dialog.ended).toEqual({ by: 'remote' });
    await sipp.done;
  });
});
