import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SipMessage } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { simulatedEndpoint, SimulatedNetwork, type SimulatedEndpoint } from '../testing/simulated-network.ts';

const MESSAGES = new URL('../testing/rfc4475/', import.meta.url);
const US = '10.0.0.2';
const PEER = '203.0.113.9';

/** Statuses that RFC 4475 permits for an endpoint without registrar; `call`: the INVITE is delivered. */
const EXPECTED: Readonly<Record<string, 'call' | 'no response' | readonly number[]>> = {
  // 3.1.1, valid messages
  // It belongs to a dialog that does not exist.
  wsinv: [481],
  intmeth: [501],
  esc01: 'call',
  escnull: [405],
  esc02: [501],
  lwsdisp: [200],
  longreq: 'call',
  dblreq: [405],
  semiuri: [200],
  transports: [200],
  mpart01: [405],
  unreason: 'no response',
  noreason: 'no response',
  // 3.1.2, invalid messages
  badinv01: [400],
  clerr: [400],
  ncl: [400],
  scalar02: [400],
  scalarlg: 'no response',
  quotbal: [400],
  ltgtruri: [400],
  lwsruri: [400],
  lwsstart: [400],
  trws: [400],
  escruri: 'call',
  baddate: 'call',
  regbadct: [405],
  badaspec: [400],
  baddn: [200],
  badvers: [505],
  mismatch01: [400],
  mismatch02: [400],
  bigcode: 'no response',
  // 3.2, transaction layer
  badbranch: [200],
  // 3.3, application layer
  insuf: [400],
  unkscm: [416],
  novelsc: [416],
  unksm2: [405],
  bext01: [420],
  invut: [415],
  regaut01: [405],
  multi01: [400],
  mcl01: [400],
  bcast: 'no response',
  zeromf: [200],
  cparam01: [405],
  cparam02: [405],
  regescrt: [405],
  sdp01: [406],
  // 3.4, backward compatibility
  inv2543: 'call',
};

const MUTATIONS = 50_000;
/** Bytes with a meaning in SIP, for mutations to put where they do not belong. */
const PIECES = [
  '\r\n',
  ';tag=',
  '"',
  '<',
  '>',
  ',',
  ':',
  ' ',
  '\0',
  '99999999999',
  'sip:',
  '%',
  '\\',
  '\u{1f600}',
];

/** The mulberry32 generator: the same numbers from 0 to below 1 in each run. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Makes one to three edits, each of which replaces up to 20 bytes by a piece or a random byte. */
function mutated(original: Buffer, random: () => number): Buffer {
  let bytes = original;
  for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) {
    const at = Math.floor(random() * bytes.length);
    const piece = PIECES[Math.floor(random() * PIECES.length * 1.5)];
    const put = piece === undefined ? Buffer.from([random() * 256]) : Buffer.from(piece);
    bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + Math.floor(random() * 20))]);
  }
  return bytes;
}

let network: SimulatedNetwork;
let us: SimulatedEndpoint;
let responses: SipMessage[];

beforeEach(() => {
  network = new SimulatedNetwork();
  const limits = { unknownSourceBurst: 20, unknownSourcePerSecond: 1, peerBurst: 20, peerPerSecond: 1 };
  us = simulatedEndpoint(network, US, limits);
  responses = [];
  network.attach(PEER, (bytes) => {
    const message = parseMessage(bytes);
    if (message) responses.push(message);
  });
});

afterEach(async () => {
  for (const invite of us.invites) invite.reject(486, 'Busy Here');
  await network.clock.advance(200_000);
  expect(network.clock.pendingTimers).toBe(0);
});

const files = readdirSync(MESSAGES).map((file) => file.replace('.dat', ''));

describe('RFC 4475 torture test messages', () => {
  it('are all listed with their permitted responses', () => {
    expect(files.sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(files)('cause a permitted response: %s', async (name) => {
    const bytes = readFileSync(new URL(`${name}.dat`, MESSAGES));
    // Over UDP, a response that is longer than its request is not sent.
    us.core.onBytes(bytes, { transport: 'tcp', address: PEER, port: 5060 });
    await network.clock.advance(20);
    const expected = EXPECTED[name];
    const statuses = responses.map((each) => (each.kind === 'response' ? each.status : each.method));
    if (expected === 'call') {
      expect(statuses).toEqual([100]);
      expect(us.invites).toHaveLength(1);
    } else if (expected === 'no response') {
      expect(statuses).toEqual([]);
    } else {
      expect(expected).toContain(statuses[0]);
      expect(us.invites).toEqual([]);
    }
  });

  it(`cause no exception and leave no timer behind after ${MUTATIONS} mutations`, async () => {
    const many = MUTATIONS;
    const limits = {
      unknownSourceBurst: many,
      unknownSourcePerSecond: many,
      peerBurst: many,
      peerPerSecond: many,
    };
    us = simulatedEndpoint(network, US, limits);
    const random = seededRandom(4475);
    const originals = files.map((file) => readFileSync(new URL(`${file}.dat`, MESSAGES)));
    let calls = 0;
    for (let i = 0; i < MUTATIONS; i += 1) {
      const transport = random() < 0.5 ? 'tcp' : 'udp';
      us.core.onBytes(mutated(originals[i % originals.length]!, random), {
        transport,
        address: PEER,
        port: 5060,
      });
      if (i % 1000 !== 999) continue;
      await network.clock.advance(20);
      calls += us.invites.length;
      for (const invite of us.invites.splice(0)) invite.reject(486, 'Busy Here');
      await network.clock.advance(200_000);
      expect(network.clock.pendingTimers).toBe(0);
    }
    // The mutations reach everything that the messages themselves reach.
    expect(calls).toBeGreaterThan(100);
    const statuses = new Set(responses.map((each) => (each.kind === 'response' ? each.status : 0)));
    expect([...statuses].toSorted((a, b) => a - b)).toEqual(
      expect.arrayContaining([100, 200, 400, 405, 415, 416, 420, 481, 486, 501, 505]),
    );
  });
});
