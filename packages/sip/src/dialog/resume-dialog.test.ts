import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Dialog, DialogSnapshot, ReinviteHandler, ResumedDialog, SipCredentials } from '../calls.ts';
import { headerOf } from '../message/headers.ts';
import { answerTo, RawPeer } from '../testing/raw-peer.ts';
import { SimulatedNetwork, simulatedEndpoint, type SimulatedEndpoint } from '../testing/simulated-network.ts';

const PEER = '203.0.113.9';
const FIRST = '10.0.0.1';
const SECOND = '10.0.0.2';
const TRAVEL_MS = 50;
const LIMIT_MS = 10_000;
const NEW_OFFER = 'v=0\r\no=second\r\n';

let network: SimulatedNetwork;
let peer: SimulatedEndpoint;
let first: SimulatedEndpoint;
let second: SimulatedEndpoint;

beforeEach(() => {
  network = new SimulatedNetwork();
  [peer, first, second] = [PEER, FIRST, SECOND].map((address) => simulatedEndpoint(network, address)) as [
    SimulatedEndpoint,
    SimulatedEndpoint,
    SimulatedEndpoint,
  ];
});

afterEach(async () => {
  await network.clock.advance(200_000);
  expect(network.clock.pendingTimers).toBe(0);
});

const offers: (string | null)[] = [];
const peerMedia: ReinviteHandler = {
  reoffer(sdp) {
    offers.push(sdp);
    return `v=0\r\no=peer ${offers.length}\r\n`;
  },
  takeAnswer: () => undefined,
};

/** Both dialogs of a call between the first endpoint and the peer. */
async function standing(direction: 'incoming' | 'outgoing'): Promise<{ ours: Dialog; theirs: Dialog }> {
  offers.length = 0;
  const [caller, callee] = direction === 'outgoing' ? [first, peer] : [peer, first];
  const placed = caller.core.invite({
    to: `sip:b@${direction === 'outgoing' ? PEER : FIRST}`,
    from: 'sip:a@calls.test',
    credentials: null,
    sdp: 'v=0\r\no=offer\r\n',
    ringLimitMs: 10_000,
  });
  await network.clock.advance(TRAVEL_MS);
  const accepted = callee.invites[0]!.accept('v=0\r\no=answer\r\n');
  await network.clock.advance(TRAVEL_MS);
  const answer = await placed.answered;
  if (answer.kind !== 'answered') throw new Error(answer.reason);
  const dialogs = [answer.dialog, await accepted] as const;
  const [ours, theirs] = direction === 'outgoing' ? dialogs : dialogs.toReversed();
  theirs.onReinvite(peerMedia);
  return { ours, theirs };
}

/** The snapshot after a round trip through JSON, as it is stored. */
const stored = (dialog: Dialog): DialogSnapshot =>
  JSON.parse(JSON.stringify(dialog.snapshot())) as DialogSnapshot;

interface Moving {
  dialog: ResumedDialog;
  answered: Promise<string | null>;
}

function resume(snapshot: DialogSnapshot, at = second, credentials: SipCredentials | null = null): Moving {
  const dialog = at.core.resume(snapshot, credentials);
  return { dialog, answered: dialog.move(NEW_OFFER, LIMIT_MS) };
}

describe.each(['incoming', 'outgoing'] as const)('an %s call that moves to another endpoint', (direction) => {
  it('continues at the new endpoint, which receives the BYE of the peer', async () => {
    const { ours, theirs } = await standing(direction);
    const resumed = resume(stored(ours));
    await network.clock.advance(TRAVEL_MS);
    expect(await resumed.answered).toBe('v=0\r\no=peer 1\r\n');
    expect(offers).toEqual([NEW_OFFER]);
    network.sent.length = 0;
    const bye = theirs.bye();
    await network.clock.advance(TRAVEL_MS);
    await bye;
    expect(await resumed.dialog.ended).toEqual({ by: 'remote' });
    expect(network.sent).toEqual([`${PEER}→${SECOND} BYE`, `${SECOND}→${PEER} 200 BYE`]);
    ours.release();
  });

  it('makes the peer reject later requests from the previous endpoint', async () => {
    const { ours, theirs } = await standing(direction);
    const resumed = resume(stored(ours));
    await network.clock.advance(TRAVEL_MS);
    await resumed.answered;
    void ours.bye();
    await network.clock.advance(TRAVEL_MS);
    expect(network.sent.slice(-2)).toEqual([`${FIRST}→${PEER} BYE`, `${PEER}→${FIRST} 500 BYE`]);
    const bye = resumed.dialog.bye();
    await network.clock.advance(TRAVEL_MS);
    await bye;
    expect(await theirs.ended).toEqual({ by: 'remote' });
  });

  it('is released without BYE, and responds 500 to the peer until the new endpoint resumes it', async () => {
    const { ours, theirs } = await standing(direction);
    ours.release();
    expect(await ours.ended).toEqual({ by: 'released' });
    network.sent.length = 0;
    const info = theirs.info('application/dtmf', '1');
    await network.clock.advance(TRAVEL_MS);
    expect(await info).toBe(false);
    expect(network.sent).toEqual([`${PEER}→${FIRST} INFO`, `${FIRST}→${PEER} 500 INFO`]);
    const resumed = resume(stored(ours));
    await network.clock.advance(TRAVEL_MS);
    expect(await resumed.answered).not.toBeNull();
    void resumed.dialog.bye();
    await network.clock.advance(TRAVEL_MS);
    expect(await theirs.ended).toEqual({ by: 'remote' });
  });
});

describe('ResumedDialog', () => {
  /** A released call that the same endpoint resumes with credentials. */
  async function released(): Promise<{ raw: RawPeer; resumed: Moving }> {
    const raw = new RawPeer(PEER, network);
    const dialog = await raw.standing();
    dialog.release();
    const snapshot = { ...stored(dialog), hasCredentials: true };
    const credentials = { username: 'trunk', password: 'secret' };
    const resumed = resume(snapshot, raw.us, credentials);
    await network.clock.advance(TRAVEL_MS);
    return { raw, resumed };
  }

  it('sends a re-INVITE with the new description, a far higher CSeq and the Contact of its endpoint', async () => {
    const { raw, resumed } = await released();
    const invite = raw.requestOf('INVITE');
    expect(invite).toMatchObject({ uri: 'sip:caller@203.0.113.9', body: NEW_OFFER });
    expect(headerOf(invite, 'CSeq')).toBe('1001 INVITE');
    expect(headerOf(invite, 'Contact')).toBe('<sip:10.0.0.2:5060>');
    expect(headerOf(invite, 'To')).toBe('<sip:caller@203.0.113.9>;tag=raw');
    await raw.say(
      answerTo(invite, '200 OK', { lines: ['Contact: <sip:caller@203.0.113.9:5070>'], body: 'v=0\r\n' }),
    );
    expect(await resumed.answered).toBe('v=0\r\n');
    expect(headerOf(raw.requestOf('ACK'), 'CSeq')).toBe('1001 ACK');
    expect(resumed.dialog.snapshot()).toMatchObject({
      remoteTarget: 'sip:caller@203.0.113.9:5070',
      localCSeq: 1001,
    });
    void resumed.dialog.bye();
  });

  it.each(['481 Call Does Not Exist', '408 Request Timeout', '488 Not Acceptable Here', '603 Decline'])(
    'ends as lost when the peer responds %s to the re-INVITE',
    async (status) => {
      const { raw, resumed } = await released();
      await raw.say(answerTo(raw.requestOf('INVITE'), status));
      expect(await resumed.answered).toBeNull();
      expect(await resumed.dialog.ended).toEqual({ by: 'lost' });
      await network.clock.advance(TRAVEL_MS);
      expect(raw.requestsOf('BYE').length).toBeGreaterThan(0);
    },
  );

  it('ends as lost when the peer does not respond in time', async () => {
    const { resumed } = await released();
    await network.clock.advance(LIMIT_MS);
    expect(await resumed.answered).toBeNull();
    expect(await resumed.dialog.ended).toEqual({ by: 'lost' });
  });

  it('ends when the peer hangs up before it responds to the re-INVITE', async () => {
    const { raw, resumed } = await released();
    await raw.say(raw.within('BYE', 2));
    expect(await resumed.answered).toBeNull();
    expect(await resumed.dialog.ended).toEqual({ by: 'remote' });
  });

  it.each(['491 Request Pending', '500 Busy'])('repeats the re-INVITE after %s', async (status) => {
    const { raw, resumed } = await released();
    await raw.say(answerTo(raw.requestOf('INVITE'), status, { lines: ['Retry-After: 1'] }));
    await network.clock.advance(2000);
    expect(raw.requestsOf('INVITE').length).toBeGreaterThan(1);
    await raw.say(answerTo(raw.requestOf('INVITE'), '200 OK', { body: 'v=0\r\n' }));
    expect(await resumed.answered).toBe('v=0\r\n');
    void resumed.dialog.bye();
  });

  it('authenticates the re-INVITE when the peer challenges it', async () => {
    const { raw, resumed } = await released();
    const challenge = 'Proxy-Authenticate: Digest realm="trunk", nonce="n", algorithm=MD5';
    await raw.say(
      answerTo(raw.requestOf('INVITE'), '407 Proxy Authentication Required', { lines: [challenge] }),
    );
    const again = raw.requestOf('INVITE');
    expect(headerOf(again, 'Proxy-Authorization')).toContain('username="trunk"');
    await raw.say(answerTo(again, '200 OK', { body: 'v=0\r\n' }));
    expect(await resumed.answered).toBe('v=0\r\n');
    void resumed.dialog.bye();
  });

  it('reports each change of its snapshot', async () => {
    const { raw, resumed } = await released();
    const seen: (number | null)[] = [];
    resumed.dialog.onChanged(() => seen.push(resumed.dialog.snapshot().remoteCSeq));
    await raw.say(answerTo(raw.requestOf('INVITE'), '200 OK', { body: 'v=0\r\n' }));
    await raw.say(raw.within('OPTIONS', 7));
    expect(seen.at(-1)).toBe(7);
    void resumed.dialog.bye();
  });
});
