import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SipTransportName } from '../calls.ts';
import type { Admission } from '../endpoint-options.ts';
import {
  rawRequest,
  SimulatedNetwork,
  simulatedEndpoint,
  type SimulatedEndpoint,
} from '../testing/simulated-network.ts';

const US = '10.0.0.2';
const TRUNK = '203.0.113.9';
const REFUSED: Admission = { kind: 'refused', status: 403, reason: 'Forbidden' };
const ADMITTED: Admission = { kind: 'admitted', isPeer: true };
const LONG_MS = 120_000;

let network: SimulatedNetwork;
let us: SimulatedEndpoint;
let responses: string[];
let decision: Admission | null;
let question: PromiseWithResolvers<Admission>;
let asked: number;
let sent: number;

beforeEach(() => {
  network = new SimulatedNetwork();
  network.arrivalDelaysOf = (_datagram, text) => {
    responses.push(text);
    return [];
  };
  responses = [];
  decision = null;
  question = Promise.withResolvers();
  asked = 0;
  sent = 0;
  us = simulatedEndpoint(network, US, {
    unknownSourceBurst: 8,
    unknownSourcePerSecond: 1,
    admissionsPerUnknownSource: 3,
    admissionsPerPeer: 6,
    admit: () =>
      decision ??
      (() => {
        asked += 1;
        return question.promise;
      }),
  });
});

/** INVITEs that arrive together, as in one chunk of a TCP stream. */
async function arrive(count: number, transport: SipTransportName = 'tcp'): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    sent += 1;
    const via = `Via: SIP/2.0/${transport.toUpperCase()} ${TRUNK};branch=z9hG4bK-${sent};rport`;
    const text = rawRequest('INVITE', [via, `Call-ID: call-${sent}`]);
    us.core.onBytes(Buffer.from(text), { transport, address: TRUNK, port: 5060 });
  }
  await network.clock.advance(0);
}

function answered(status: number): string[] {
  return responses.filter((text) => text.startsWith(`SIP/2.0 ${status} `));
}

async function decide(admission: Admission): Promise<void> {
  question.resolve(admission);
  await network.clock.advance(0);
  question = Promise.withResolvers();
}

async function hangUp(): Promise<void> {
  for (const invite of us.invites.splice(0)) invite.reject(486, 'Busy Here');
  await network.clock.advance(LONG_MS);
}

describe('INVITEs with a pending admission', () => {
  it('are rejected with 503 and Retry-After over TCP when too many are pending', async () => {
    await arrive(5);
    expect(asked).toBe(3);
    expect(answered(503)).toHaveLength(2);
    expect(answered(503).every((text) => text.includes('\r\nRetry-After: 5\r\n'))).toBe(true);
    await decide(REFUSED);
    expect([answered(403).length, answered(503).length]).toEqual([3, 2]);
  });

  it('are dropped over UDP when too many are pending, and considered again when retransmitted', async () => {
    await arrive(5, 'udp');
    expect(responses).toEqual([]);
    await decide(REFUSED);
    sent = 3;
    await arrive(2, 'udp');
    expect(asked).toBe(5);
  });

  it('do not delay INVITEs with an immediate decision', async () => {
    await arrive(3);
    decision = REFUSED;
    await arrive(2);
    expect([answered(403).length, answered(503).length]).toEqual([2, 0]);
  });

  it('have a higher limit for a peer than for an unknown source', async () => {
    decision = ADMITTED;
    await arrive(1);
    decision = null;
    await arrive(8);
    expect([asked, answered(503).length]).toEqual([6, 2]);
    await decide(ADMITTED);
    expect(us.invites).toHaveLength(7);
    await hangUp();
  });
});

describe('source of an admitted INVITE', () => {
  it.each([
    { isPeer: true, taken: 20 },
    { isPeer: false, taken: 8 },
  ])(
    'has the rate limit of a peer only if the decision says so (isPeer: $isPeer)',
    async ({ isPeer, taken }) => {
      decision = { kind: 'admitted', isPeer };
      await arrive(20);
      expect(us.invites).toHaveLength(taken);
      await hangUp();
    },
  );
});
