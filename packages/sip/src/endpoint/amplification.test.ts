import { beforeEach, describe, expect, it } from '@jest/globals';
import { challengeHeaders } from '../digest/authorization.ts';
import type { Admission } from '../endpoint-options.ts';
import {
  rawRequest,
  SimulatedNetwork,
  simulatedEndpoint,
  type SimulatedEndpoint,
} from '../testing/simulated-network.ts';

const US = '10.0.0.2';
const VICTIM = '203.0.113.9';
const REFUSED: Admission = { kind: 'refused', status: 403, reason: 'Forbidden' };
/** Longer than any transaction repeats a response. */
const LONG_MS = 120_000;

let network: SimulatedNetwork;
let us: SimulatedEndpoint;
/** Source and caller of each INVITE for which an admission was requested. */
let asked: string[];
let admissionOf: (address: string) => Promise<Admission>;
/** Datagrams that were sent to the victim. */
let received: string[];
/** Bytes that were sent to and by each address. */
let bytesTo: Map<string, number>;
let bytesFrom: Map<string, number>;

beforeEach(() => {
  network = new SimulatedNetwork();
  asked = [];
  received = [];
  admissionOf = () => Promise.resolve(REFUSED);
  bytesTo = new Map();
  bytesFrom = new Map();
  us = simulatedEndpoint(network, US, {
    unknownSourceBurst: 10,
    unknownSourcePerSecond: 2,
    admissionsPerUnknownSource: 5,
    admit: ({ source, from }) => {
      return () => {
        asked.push(`${source.address} ${from.user}`);
        return admissionOf(source.address);
      };
    },
  });
  network.arrivalDelaysOf = (datagram, text) => {
    const [from = '', to = ''] = datagram.split(' ')[0]?.split('→') ?? [];
    for (const [bytes, address] of [
      [bytesFrom, from],
      [bytesTo, to],
    ] as const) {
      if (bytes === bytesTo && address === VICTIM) received.push(text);
      bytes.set(address, (bytes.get(address) ?? 0) + Buffer.byteLength(text));
    }
    return [10];
  };
});

function requestOf(method: string, id: string, lines: readonly string[] = []): string {
  const via = `Via: SIP/2.0/UDP ${VICTIM};branch=z9hG4bK-${id};rport`;
  return rawRequest(method, [via, `Call-ID: ${id}`, ...lines]);
}

/** A request with only the required header fields. */
function barest(method: string): string {
  const lines = [
    `${method} sip:a SIP/2.0`,
    'v:SIP/2.0/UDP a',
    'f:<sip:a>',
    't:<sip:a>',
    'i:a',
    `CSeq:1 ${method}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

const METHODS = [
  ...['INVITE', 'ACK', 'BYE', 'CANCEL', 'OPTIONS', 'UPDATE', 'NOTIFY', 'REGISTER', 'SUBSCRIBE', 'PUBLISH'],
  ...['MESSAGE', 'INFO', 'REFER', 'PRACK', 'FROB'],
];

describe('a source address that may be forged', () => {
  const strange: readonly (readonly [what: string, text: string])[] = [
    ...METHODS.map((method) => [method, requestOf(method, 'a')] as const),
    ...METHODS.map((method) => [`a minimal ${method}`, barest(method)] as const),
    ...METHODS.map(
      (method) => [`${method} within a dialog`, requestOf(method, 'a', ['To: <sip:a>;tag=b'])] as const,
    ),
    ['an unknown extension', requestOf('INVITE', 'a', ['Require: frob'])],
    ['an unknown body', requestOf('INVITE', 'a', ['Content-Type: text/html'])],
    ['an unknown scheme', barest('INVITE').replace('sip:a SIP', 'mailto:a SIP')],
    ['a long Via', requestOf('OPTIONS', 'b'.repeat(400))],
    ['many Vias', barest('OPTIONS').replace('v:', `${'v:SIP/2.0/UDP b\r\n'.repeat(20)}v:`)],
    ['not SIP', 'hello'],
    ['a request without an end', requestOf('INVITE', 'a').slice(0, 150)],
    ['a request without From', requestOf('OPTIONS', 'a').replace('From:', 'Frim:')],
    ['a response', 'SIP/2.0 200 OK\r\n\r\n'],
  ];

  it.each(strange)(
    'receives no more bytes than it sent, and at most one response per request: %s',
    async (_what, text) => {
      for (let i = 0; i < 3; i += 1) {
        network.send(text, VICTIM, US);
        await network.clock.advance(LONG_MS);
        const answers = network.sent.filter((each) => each.startsWith(`${US}→`));
        expect(answers.length).toBeLessThanOrEqual(i + 1);
        expect(bytesTo.get(VICTIM) ?? 0).toBeLessThanOrEqual(bytesFrom.get(VICTIM) ?? 0);
      }
      expect(network.clock.pendingTimers).toBe(0);
      expect(us.invites).toEqual([]);
      expect(us.messages).toEqual([]);
    },
  );

  it.each([
    ['a long INVITE', 900, 2],
    ['an INVITE with room for one challenge', 420, 1],
    ['a short INVITE', 0, null],
  ])('receives no more bytes than it sent when it is challenged: %s', async (_what, padding, challenges) => {
    const headers = challengeHeaders('0190f3a0-0000-7000-8000-000000000001.sip.test', 'n'.repeat(32), false);
    admissionOf = () => Promise.resolve({ kind: 'refused', status: 401, reason: 'Unauthorized', headers });
    network.send(
      requestOf('INVITE', 'a', padding === 0 ? [] : [`X-Padding: ${'x'.repeat(padding - 300)}`]),
      VICTIM,
      US,
    );
    await network.clock.advance(LONG_MS);
    expect(bytesTo.get(VICTIM) ?? 0).toBeLessThanOrEqual(bytesFrom.get(VICTIM) ?? 0);
    const [response] = received;
    if (challenges === null) expect(response).toBeUndefined();
    else expect(response?.match(/^WWW-Authenticate:/gmu)).toHaveLength(challenges);
    expect(response ?? 'MD5').toContain('MD5');
  });

  it('receives one 403 and no 100 each time it sends an INVITE that is refused', async () => {
    network.send(requestOf('INVITE', 'a'), VICTIM, US);
    await network.clock.advance(LONG_MS);
    network.send(requestOf('INVITE', 'a'), VICTIM, US);
    await network.clock.advance(LONG_MS);
    expect(network.count(`${US}→${VICTIM} 403 INVITE`)).toBe(2);
    expect(network.count(`${US}→${VICTIM} 100 INVITE`)).toBe(0);
  });
});

describe('INVITE admission', () => {
  it('is requested once for retransmissions of an INVITE, and up to a limit for each source', async () => {
    const admission = Promise.withResolvers<Admission>();
    admissionOf = () => admission.promise;
    for (let i = 0; i < 5; i += 1) network.send(requestOf('INVITE', 'a'), VICTIM, US);
    for (let i = 0; i < 100; i += 1) network.send(requestOf('INVITE', `flood-${i}`), '198.51.100.1', US);
    await network.clock.advance(100);
    expect(asked.filter((each) => each.startsWith(VICTIM))).toHaveLength(1);
    expect(asked.filter((each) => each.startsWith('198.51.100.1'))).toHaveLength(5);
    admission.resolve(REFUSED);
    await network.clock.advance(100);
    expect(network.count(`${US}→${VICTIM} 403 INVITE`)).toBe(1);
    expect(network.clock.pendingTimers).toBe(0);
  });

  it('of a flooding source does not use up the limits of a trunk or of another source', async () => {
    admissionOf = (address) =>
      Promise.resolve(address === '192.0.2.1' ? { kind: 'admitted', isPeer: true } : REFUSED);
    for (let i = 0; i < 1000; i += 1) network.send(requestOf('INVITE', `flood-${i}`), VICTIM, US);
    for (let i = 0; i < 100; i += 1) network.send(requestOf('INVITE', `trunk-${i}`), '192.0.2.1', US);
    network.send(requestOf('OPTIONS', 'one'), '192.0.2.2', US);
    await network.clock.advance(100);
    // The first INVITE counts towards the limit of unknown sources; from then on the trunk is a peer.
    for (let i = 100; i < 200; i += 1) network.send(requestOf('INVITE', `trunk-${i}`), '192.0.2.1', US);
    await network.clock.advance(100);
    expect(us.invites.length).toBeGreaterThan(100);
    expect(us.invites.every(({ source }) => source.address === '192.0.2.1')).toBe(true);
    expect(network.count(`${US}→192.0.2.2 200 OPTIONS`)).toBe(1);
    for (const invite of us.invites) invite.reject(480, 'Not Now');
    await network.clock.advance(LONG_MS);
  });

  it('ends the INVITE with 487 if the decision arrives after a CANCEL', async () => {
    const admission = Promise.withResolvers<Admission>();
    admissionOf = () => admission.promise;
    network.send(requestOf('INVITE', 'a'), VICTIM, US);
    await network.clock.advance(20);
    network.send(requestOf('CANCEL', 'a'), VICTIM, US);
    await network.clock.advance(20);
    admission.resolve({ kind: 'admitted', isPeer: true });
    await network.clock.advance(LONG_MS);
    expect(network.count(`${US}→${VICTIM} 200 CANCEL`)).toBe(1);
    expect(network.count(`${US}→${VICTIM} 487 INVITE`)).toBe(1);
    expect(us.invites).toEqual([]);
    expect(network.clock.pendingTimers).toBe(0);
  });

  it('passes an INVITE on once, and creates its transaction', async () => {
    admissionOf = () => Promise.resolve({ kind: 'admitted', isPeer: true });
    network.send(requestOf('INVITE', 'a'), VICTIM, US);
    network.send(requestOf('INVITE', 'a'), VICTIM, US);
    await network.clock.advance(100);
    expect(us.invites).toHaveLength(1);
    expect(network.count(`${US}→${VICTIM} 100 INVITE`)).toBeGreaterThan(0);
    us.invites[0]?.reject(486, 'Busy Here');
    await network.clock.advance(LONG_MS);
  });
});
