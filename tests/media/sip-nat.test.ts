import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SIP_INVITE_REQUEST } from '@calls/api-contract/bus/sip-invites';
import type { CallSpec, SipSpec } from '@calls/api-contract/call-spec';
import { levelDbfs } from '@calls/audio/pcm';
import { agentSpeaksFirst, callSpec, sipSpec, stageSpec } from '@calls/testkit/call-spec';
import { eventually } from '../support/eventually.ts';
import { describeInLab, NetworkLab, type LabPlan } from '../support/network/network-lab.ts';
import { PHONE_RATE_HZ, SoftPhone } from '../support/sip/soft-phone.ts';
import { WorkerPool } from '../support/worker-pool.ts';

/** The address of the service on both networks: its own on network A, that of its router on network B. */
const SERVICE = '203.0.113.2';
const INSIDE_SERVICE = '10.0.1.2';
const SIP_PORT = 5060;
const RTP_PORTS = '20000-20099';

/**
 * The worker is a host of network A, and behind a NAT on network B. Each network has a phone, and one behind a NAT.
 *
 *   phone-a ─┬─ worker ── service-nat ─┬─ phone-b
 *   nat-a ───┘                         └─── nat-b
 *     │                                       │
 *   hidden-a                              hidden-b
 */
const PLAN: LabPlan = {
  hosts: ['worker', 'service-nat', 'phone-a', 'nat-a', 'hidden-a', 'phone-b', 'nat-b', 'hidden-b'],
  cables: [
    [`worker ${SERVICE}/24`, 'br-a'],
    ['phone-a 203.0.113.10/24', 'br-a'],
    ['nat-a 203.0.113.11/24', 'br-a'],
    ['nat-a 192.168.1.1/24', 'hidden-a 192.168.1.2/24'],
    [`worker ${INSIDE_SERVICE}/24`, 'service-nat 10.0.1.1/24'],
    ['service-nat 198.51.100.1/24', 'br-b'],
    ['phone-b 198.51.100.10/24', 'br-b'],
    ['nat-b 198.51.100.11/24', 'br-b'],
    ['nat-b 192.168.2.1/24', 'hidden-b 192.168.2.2/24'],
  ],
  routes: {
    // Packets to private addresses get lost at the default route.
    worker: [`198.51.100.0/24 via 10.0.1.1 src ${INSIDE_SERVICE}`, 'default via 203.0.113.10'],
    'service-nat': [`local ${SERVICE} dev lo`],
    'hidden-a': ['default via 192.168.1.1'],
    'phone-b': ['default via 198.51.100.1'],
    'nat-b': ['default via 198.51.100.1'],
    'hidden-b': ['default via 192.168.2.1'],
  },
};

/** NAT of the service: forwards its ports. */
const SERVICE_NAT = `
table ip nat {
  chain in {
    type nat hook prerouting priority dstnat
    ip daddr ${SERVICE} udp dport { ${SIP_PORT}, ${RTP_PORTS} } dnat to ${INSIDE_SERVICE}
  }
  chain out {
    type nat hook postrouting priority srcnat
    ip saddr ${INSIDE_SERVICE} ip daddr 198.51.100.0/24 snat to ${SERVICE}
  }
}`;

/** NAT of a phone: maps each flow to a different port (symmetric), and forwards only the SIP port. */
function phoneNat(outside: string, inside: string, sipPort: string): string {
  return `
table ip nat {
  chain in {
    type nat hook prerouting priority dstnat
    ip daddr ${outside} udp dport ${sipPort} dnat to ${inside}
  }
  chain out {
    type nat hook postrouting priority srcnat
    ip saddr ${inside} masquerade fully-random
  }
}`;
}
const opened = new AsyncDisposableStack();
const calls: CallSpec[] = [];
const phones = new Map<string, SoftPhone>();
let pool: WorkerPool;

function spec(
  medium: Pick<SipSpec, 'direction' | 'to' | 'from'>,
  overrides: Partial<CallSpec> = {},
): CallSpec {
  const text = 'Hello, this is Ada, who is there?';
  return callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local' }),
    firstSpeaker: agentSpeaksFirst(text),
    medium: sipSpec({ ...medium, dtmf: { text: '{digits}', urgency: 'later' } }),
    ...overrides,
  });
}

/** Waits until the phone has played speech and the worker has received a key, which is part of the audio stream. */
async function exchangesAudio(phone: SoftPhone, call: CallSpec): Promise<void> {
  await eventually(async () => expect(loudMs(await phone.played())).toBeGreaterThan(300));
  await phone.press('7');
  await eventually(async () =>
    expect(await pool.logOf(call)).toContainEqual(
      expect.objectContaining({ type: 'message_added', message: expect.objectContaining({ text: '7' }) }),
    ),
  );
}

function loudMs(samples: Int16Array): number {
  const window = PHONE_RATE_HZ / 50;
  let loud = 0;
  for (let at = 0; at < samples.length; at += window) {
    if (levelDbfs(samples.subarray(at, at + window)) > -35) loud += 20;
  }
  return loud;
}

describeInLab('a SIP call', () => {
  beforeAll(async () => {
    const lab = opened.use(NetworkLab.open(PLAN));
    for (const [name, address] of [
      ['phone-a', '203.0.113.10'],
      ['hidden-a', '192.168.1.2'],
      ['phone-b', '198.51.100.10'],
      ['hidden-b', '192.168.2.2'],
    ] as const) {
      const network = { namespace: lab.namespaceOf(name), address };
      phones.set(name, opened.use(await SoftPhone.open({ user: 'ann', answersAtOnce: true, network })));
    }
    const portOf = (name: string): string => phones.get(name)?.uri.split(':').at(-1) ?? '';
    lab.makeRouter('service-nat', SERVICE_NAT);
    lab.makeRouter('nat-a', phoneNat('203.0.113.11', '192.168.1.2', portOf('hidden-a')));
    lab.makeRouter('nat-b', phoneNat('198.51.100.11', '192.168.2.2', portOf('hidden-b')));
    pool = await WorkerPool.open(
      {
        SIP_LISTEN_ADDRESS: '',
        SIP_PORT: String(SIP_PORT),
        SIP_RTP_PORTS: RTP_PORTS,
        SIP_ADDRESS: SERVICE,
        // Includes private addresses, so that the worker does not ignore a private Contact because of this setting.
        OUTBOUND_ALLOW_PRIVATE: '203.0.113.0/24,198.51.100.0/24,192.168.0.0/16',
      },
      lab.namespaceOf('worker'),
    );
    opened.use(pool);
    await pool.atLeast(1);
    opened.use(
      pool.bus.requests.respond(SIP_INVITE_REQUEST, ({ callId, to, from }) => {
        const call = spec({ direction: 'incoming', to: to.uri, from: from.uri }, { callId });
        calls.push(call);
        return Promise.resolve({
          kind: 'call',
          created: pool.created(call),
        });
      }),
    );
    await pool.bus.connection.ping();
  });
  afterAll(() => opened.disposeAsync());

  it.each([
    ['a public service and a public phone', 'phone-a', '203.0.113.10'],
    ['a public service and a phone behind NAT', 'hidden-a', '203.0.113.11'],
    ['a service behind NAT and a public phone', 'phone-b', '198.51.100.10'],
    ['a service behind NAT and a phone behind NAT', 'hidden-b', '198.51.100.11'],
  ])('between %s carries audio and can be hung up by either side', async (_, name, address) => {
    const phone = phones.get(name);
    if (!phone) throw new Error('no phone');
    await phone.dial(`sip:agent_1@${SERVICE}:${SIP_PORT}`);
    await phone.until('CALL_ESTABLISHED');
    const incoming = calls.at(-1);
    if (!incoming) throw new Error('no call');
    await exchangesAudio(phone, incoming);
    await eventually(async () =>
      expect(await pool.bus.commands.send(incoming.callId, { kind: 'end' })).toEqual({ outcome: 'accepted' }),
    );
    await phone.until('CALL_CLOSED');
    expect((await pool.endedLogOf(incoming)).at(-1)).toMatchObject({ endReason: 'agent_hangup' });
    await phone.forget();

    const to = `sip:ann@${address}:${phone.uri.split(':').at(-1)}`;
    const outgoing = spec({ direction: 'outgoing', to, from: `sip:agent@${SERVICE}` });
    await pool.queue(outgoing);
    await phone.until('CALL_ESTABLISHED');
    await exchangesAudio(phone, outgoing);
    await phone.hangUp();
    expect((await pool.endedLogOf(outgoing)).at(-1)).toMatchObject({ endReason: 'hangup' });
    await phone.forget();
  });
});
