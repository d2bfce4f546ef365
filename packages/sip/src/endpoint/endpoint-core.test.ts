import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Dialog, InviteOutcome, OutgoingCall, OutgoingInvite } from '../calls.ts';
import { parseMessage } from '../message/parse-message.ts';
import { headerOf } from '../message/headers.ts';
import { SimulatedNetwork, simulatedEndpoint, type SimulatedEndpoint } from '../testing/simulated-network.ts';

const OFFER = 'v=0\r\no=caller\r\n';
const ANSWER = 'v=0\r\no=callee\r\n';

let network: SimulatedNetwork;
let a: SimulatedEndpoint;
let b: SimulatedEndpoint;

beforeEach(() => {
  network = new SimulatedNetwork();
  a = simulatedEndpoint(network, '10.0.0.1');
  b = simulatedEndpoint(network, '10.0.0.2');
});

/** No test may leave a transaction or a timer behind. */
afterEach(async () => {
  for (const { core } of [a, b]) void core.hangUpAll();
  await network.clock.advance(200_000);
  expect(network.clock.pendingTimers).toBe(0);
});

function invite(options: Partial<OutgoingInvite> = {}): OutgoingCall {
  return a.core.invite({
    to: 'sip:agent@10.0.0.2',
    from: '"Caller" <sip:caller@10.0.0.1>',
    credentials: null,
    sdp: OFFER,
    ringLimitMs: 60_000,
    ...options,
  });
}

interface Standing {
  callers: Dialog;
  callees: Dialog;
}

async function connected(): Promise<Standing> {
  const call = invite();
  await network.clock.advance(50);
  const accepted = b.invites[0]?.accept(ANSWER);
  await network.clock.advance(50);
  const answer = await call.answered;
  const callees = await accepted;
  if (answer.kind !== 'answered' || !callees) throw new Error('not answered');
  return { callers: answer.dialog, callees };
}

/** The value of a promise if it has resolved by now, else undefined. */
async function now<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, network.clock.advance(0).then(() => undefined)]);
}

function failure(outcome: InviteOutcome | undefined): unknown {
  return outcome?.kind === 'failed' && [outcome.cause, outcome.status, outcome.reason];
}

describe('a call', () => {
  it('is offered, rings, is answered and acknowledged, and ends by BYE', async () => {
    const call = invite();
    await network.clock.advance(50);
    const [incoming] = b.invites;
    expect(incoming).toMatchObject({
      callId: call.callId,
      from: { displayName: 'Caller', user: 'caller', host: '10.0.0.1' },
      to: { displayName: '', uri: 'sip:agent@10.0.0.2', user: 'agent', host: '10.0.0.2' },
      source: { address: '10.0.0.1', port: 5060, transport: 'udp' },
      sdp: OFFER,
    });
    incoming?.ring();
    const accepted = incoming?.accept(ANSWER);
    await network.clock.advance(50);
    const answer = await now(call.answered);
    expect(answer).toMatchObject({ kind: 'answered', sdp: ANSWER });
    const callees = await accepted;
    expect(callees?.remoteSdp).toBe(OFFER);
    const hungUp = callees?.bye();
    await network.clock.advance(50);
    await hungUp;
    expect(answer?.kind === 'answered' && (await now(answer.dialog.ended))).toEqual({ by: 'remote' });
    expect(await callees?.ended).toEqual({ by: 'local' });
    expect(network.sent.map((each) => each.replaceAll('10.0.0.', ''))).toEqual([
      '1→2 INVITE',
      '2→1 100 INVITE',
      '2→1 180 INVITE',
      '2→1 200 INVITE',
      '1→2 ACK',
      '2→1 BYE',
      '1→2 200 BYE',
    ]);
  });

  it('logs all of its messages on both sides, in order', async () => {
    await connected();
    expect(a.messages.map(({ direction }) => direction)).toEqual(['sent', 'received', 'received', 'sent']);
    expect(b.messages.map(({ text }) => text.split(' ')[0])).toEqual(['INVITE', 'SIP/2.0', 'SIP/2.0', 'ACK']);
    expect(new Set([...a.messages, ...b.messages].map(({ callId }) => callId)).size).toBe(1);
  });

  it('logs its messages without SRTP keys', async () => {
    invite({ sdp: `${OFFER}a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0|2^31\r\na=sendrecv\r\n` });
    await network.clock.advance(50);
    const said = 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:(left out)\r\na=sendrecv';
    expect(a.messages[0]?.text).toContain(said);
    expect(b.messages[0]?.text).toContain(said);
    expect(b.invites[0]?.sdp).toContain('inline:c2VjcmV0|2^31');
  });

  it.each([
    [486, 'Busy Here'],
    [603, 'Decline'],
    [503, 'Service Unavailable'],
  ])(
    'fails with status %i when the peer rejects it, and acknowledges the response',
    async (status, reason) => {
      const call = invite();
      await network.clock.advance(50);
      b.invites[0]?.reject(status, reason, 30);
      await network.clock.advance(50);
      expect(failure(await now(call.answered))).toEqual(['refused', status, reason]);
      expect(network.sent.at(-1)).toBe('10.0.0.1→10.0.0.2 ACK');
      const response = parseMessage(Buffer.from(b.messages[2]?.text ?? ''));
      expect(response && headerOf(response, 'Retry-After')).toBe('30');
    },
  );

  it('is cancelled when the peer does not respond within the ring limit', async () => {
    const call = invite({ ringLimitMs: 20_000 });
    await network.clock.advance(50);
    b.invites[0]?.ring();
    await network.clock.advance(20_000);
    expect(failure(await now(call.answered))).toEqual(['noAnswer', null, 'no response in time']);
    expect(await now(b.invites[0]?.cancelled.then(() => 'yes') ?? Promise.resolve('no'))).toBe('yes');
    await network.clock.advance(50);
    expect(network.count('10.0.0.2→10.0.0.1 487 INVITE')).toBe(1);
    await expect(b.invites[0]?.accept(ANSWER)).rejects.toMatchObject({ code: 'call_cancelled' });
  });

  it('fails after 32 seconds and seven INVITEs when the peer does not respond', async () => {
    const call = invite({ to: 'agent@10.0.0.99' });
    await network.clock.advance(31_999);
    expect(await now(call.answered)).toBeUndefined();
    await network.clock.advance(1);
    expect(failure(await now(call.answered))).toEqual(['unreachable', null, 'the peer does not respond']);
    expect(network.count('10.0.0.1→10.0.0.99 INVITE')).toBe(7);
  });

  it.each([
    '',
    'sip:',
    'tel:',
    'http://10.0.0.2',
    'sips:agent@10.0.0.2',
    'sip:agent@10.0.0.2;transport=sctp',
    'sip:agent@198.51.100.1',
  ])('fails without sending a request if the target is %j', async (to) => {
    const call = invite({ to });
    expect(await now(call.answered)).toMatchObject({ kind: 'failed', cause: 'unreachable', status: null });
    expect(network.sent).toEqual([]);
  });

  it('is sent to the host of From if the target is a tel URI', async () => {
    const call = invite({ to: 'tel:+1-555-0100', from: '<sip:caller@10.0.0.2:5070>' });
    await network.clock.advance(50);
    expect(b.invites[0]).toMatchObject({
      requestUri: 'sip:+15550100@10.0.0.2:5070;user=phone',
      to: { uri: 'tel:+1-555-0100', user: '+1-555-0100', host: '' },
    });
    call.cancel();
  });
});

describe('a call over a lossy network', () => {
  it('is established when the first INVITE is lost', async () => {
    network.lose('10.0.0.1→10.0.0.2 INVITE');
    const call = invite();
    await network.clock.advance(600);
    void b.invites[0]?.accept(ANSWER);
    await network.clock.advance(50);
    expect(await now(call.answered)).toMatchObject({ kind: 'answered' });
    expect(b.invites).toHaveLength(1);
  });

  it('is established once when every datagram is duplicated', async () => {
    network.arrivalDelaysOf = () => [10, 12];
    const { callers, callees } = await connected();
    expect(b.invites).toHaveLength(1);
    const hungUp = callers.bye();
    await network.clock.advance(50);
    await hungUp;
    expect(await now(callees.ended)).toEqual({ by: 'remote' });
  });

  it('repeats a lost 200 response until the ACK arrives', async () => {
    network.lose('10.0.0.2→10.0.0.1 200 INVITE', 2);
    const call = invite();
    await network.clock.advance(50);
    const accepted = b.invites[0]?.accept(ANSWER);
    await network.clock.advance(1600);
    expect(await now(call.answered)).toMatchObject({ kind: 'answered' });
    expect(await now(accepted ?? Promise.reject(new Error('no call')))).toBeDefined();
    expect(network.count('10.0.0.2→10.0.0.1 200 INVITE')).toBe(3);
  });

  it('acknowledges each repeated 200 response when ACKs are lost', async () => {
    network.lose('10.0.0.1→10.0.0.2 ACK', 2);
    const call = invite();
    await network.clock.advance(50);
    const accepted = b.invites[0]?.accept(ANSWER);
    await network.clock.advance(1600);
    expect(await now(accepted ?? Promise.reject(new Error('no call')))).toBeDefined();
    expect(await now(call.answered)).toMatchObject({ kind: 'answered' });
    expect(network.count('10.0.0.1→10.0.0.2 ACK')).toBe(3);
  });

  it('is hung up by the callee after 32 seconds when every ACK is lost', async () => {
    network.lose('10.0.0.1→10.0.0.2 ACK', 1000);
    const call = invite();
    await network.clock.advance(50);
    const accepted = b.invites[0]?.accept(ANSWER) ?? Promise.reject(new Error('no call'));
    const refused = expect(accepted).rejects.toMatchObject({ code: 'not_acknowledged' });
    await network.clock.advance(32_100);
    await refused;
    const answer = await now(call.answered);
    expect(answer?.kind === 'answered' && (await now(answer.dialog.ended))).toEqual({ by: 'remote' });
  });

  it('retransmits a lost BYE', async () => {
    const { callers, callees } = await connected();
    network.lose('10.0.0.1→10.0.0.2 BYE', 2);
    void callers.bye();
    await network.clock.advance(1600);
    expect(await now(callees.ended)).toEqual({ by: 'remote' });
  });

  it('completes hanging up after 32 seconds when every BYE is lost', async () => {
    const { callers, callees } = await connected();
    network.lose('10.0.0.1→10.0.0.2 BYE', 1000);
    const hungUp = callers.bye().then(() => 'over');
    expect(await now(callers.ended)).toEqual({ by: 'local' });
    await network.clock.advance(32_000);
    expect(await now(hungUp)).toBe('over');
    network.lose('10.0.0.2→10.0.0.1 BYE', 1000);
    void callees.bye();
  });

  it('retransmits a lost 486 response', async () => {
    const call = invite();
    await network.clock.advance(50);
    network.lose('10.0.0.2→10.0.0.1 486 INVITE', 2);
    b.invites[0]?.reject(486, 'Busy Here');
    await network.clock.advance(1600);
    expect(failure(await now(call.answered))).toEqual(['refused', 486, 'Busy Here']);
  });

  it('is established and ended twenty times in a row when every fifth datagram is lost', async () => {
    let count = 0;
    network.arrivalDelaysOf = () => {
      count += 1;
      return count % 5 === 0 ? [] : [10 + (count % 3) * 20];
    };
    for (let i = 0; i < 20; i += 1) {
      const call = invite();
      await network.clock.advance(5000);
      const accepted = b.invites[i]?.accept(ANSWER);
      await network.clock.advance(10_000);
      const answer = await now(call.answered);
      const callees = await accepted;
      if (answer?.kind !== 'answered' || !callees) throw new Error(`call ${i} was not made`);
      void answer.dialog.bye();
      await network.clock.advance(10_000);
      expect(await now(callees.ended)).toEqual({ by: 'remote' });
    }
  });
});

describe('a call with crossing messages', () => {
  it('is acknowledged and hung up when a CANCEL crosses the 200 response', async () => {
    const call = invite();
    await network.clock.advance(50);
    const accepted = b.invites[0]?.accept(ANSWER);
    call.cancel();
    expect(failure(await now(call.answered))).toEqual(['cancelled', null, 'cancelled']);
    await network.clock.advance(50);
    const callees = await accepted;
    expect(callees && (await now(callees.ended))).toEqual({ by: 'remote' });
    expect(network.count('10.0.0.2→10.0.0.1 200 CANCEL')).toBe(1);
    expect(network.count('10.0.0.2→10.0.0.1 487 INVITE')).toBe(0);
  });

  it('sends CANCEL only after a provisional response from the peer', async () => {
    const call = invite();
    await network.clock.advance(0);
    call.cancel();
    await network.clock.advance(15);
    expect(network.count('10.0.0.1→10.0.0.2 CANCEL')).toBe(0);
    await network.clock.advance(50);
    expect(network.count('10.0.0.1→10.0.0.2 CANCEL')).toBe(1);
    expect(network.count('10.0.0.2→10.0.0.1 487 INVITE')).toBe(1);
  });

  it('ends on both sides when two BYEs cross', async () => {
    const { callers, callees } = await connected();
    const both = Promise.all([callers.bye(), callees.bye()]).then(() => 'over');
    await network.clock.advance(50);
    expect(await now(both)).toBe('over');
    expect(await now(Promise.all([callers.ended, callees.ended]))).toEqual([
      { by: 'local' },
      { by: 'local' },
    ]);
    expect(network.sent.filter((each) => each.endsWith('481 BYE'))).toHaveLength(2);
  });

  it('is hung up when the endpoint closes, or rejected with 503 if it is pending or new', async () => {
    const { callers } = await connected();
    const waiting = invite();
    await network.clock.advance(50);
    const closing = b.core.hangUpAll();
    await network.clock.advance(50);
    await closing;
    expect(await now(callers.ended)).toEqual({ by: 'remote' });
    expect(failure(await now(waiting.answered))).toEqual(['refused', 503, 'Service Unavailable']);
    const late = invite();
    await network.clock.advance(50);
    expect(failure(await now(late.answered))).toEqual(['refused', 503, 'Service Unavailable']);
    b.core.close();
  });
});
