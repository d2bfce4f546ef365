import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DtlsKeys } from './dtls-association.ts';
import type { Fingerprint } from './fingerprint.ts';
import { createSharedDtls, DtlsMedia, HANDSHAKE_LIMIT_MS, type SharedDtls } from './dtls-media.ts';
import type { NegotiatedDtls } from './dtls-description.ts';
import type { RtpAddress } from '../rtp/rtp-address.ts';

const SERVICE: RtpAddress = { address: '198.51.100.1', port: 20_000 };
const PHONE: RtpAddress = { address: '192.0.2.10', port: 4000 };
const START_MS = 1000;
const shared = (): SharedDtls => createSharedDtls({ nowMs: () => START_MS });
const [ofPhone, ofOther] = [shared().context, shared().context];

/** One end of a call, with its sent datagrams, its keys and its failures. */
interface End {
  media: DtlsMedia;
  sent: { datagram: Buffer; to: RtpAddress }[];
  keys: { keys: DtlsKeys; peer: RtpAddress }[];
  failures: string[];
}

let nowMs = 0;
let ofService: SharedDtls['context'];
let unknownSources: SharedDtls['unknownSources'];
beforeEach(() => {
  nowMs = START_MS;
  ({ context: ofService, unknownSources } = shared());
});

function open(context: SharedDtls['context']): End {
  const end = { sent: [], keys: [], failures: [] } as Omit<End, 'media'>;
  const media = new DtlsMedia(
    {
      ...{ context, unknownSources },
      send: (datagram, to) => void end.sent.push({ datagram, to }),
      onKeys: (keys, peer) => void end.keys.push({ keys, peer }),
      onFailed: (detail) => void end.failures.push(detail),
    },
    nowMs,
  );
  return { ...end, media };
}

function negotiated(role: NegotiatedDtls['role'], fingerprint: Fingerprint, id = 'first'): NegotiatedDtls {
  return { type: 'dtls', role, fingerprints: [fingerprint], id };
}

/** Delivers all datagrams between the two ends, with these addresses, until none is left. */
function carry(service: End, phone: End, phoneAt = PHONE): void {
  for (let turns = 0; turns < 20 && service.sent.length + phone.sent.length > 0; turns += 1) {
    for (const { datagram } of phone.sent.splice(0)) service.media.receive(datagram, phoneAt, nowMs);
    for (const { datagram, to } of service.sent.splice(0)) {
      if (to.address === phoneAt.address && to.port === phoneAt.port)
        phone.media.receive(datagram, SERVICE, nowMs);
    }
  }
}

/** Opens the end of the service, which expects this fingerprint from the phone. */
function openService(role: NegotiatedDtls['role'] = 'server', fingerprint = ofPhone.fingerprint): End {
  const service = open(ofService);
  service.media.signalled(PHONE, nowMs);
  service.media.use(negotiated(role, fingerprint), nowMs);
  service.media.start(nowMs);
  return service;
}

function openPhone(role: NegotiatedDtls['role'] = 'client', context = ofPhone): End {
  const phone = open(context);
  phone.media.signalled(SERVICE, nowMs);
  phone.media.use(negotiated(role, ofService.fingerprint), nowMs);
  phone.media.start(nowMs);
  return phone;
}

describe('DtlsMedia', () => {
  it.each(['server', 'client'] as const)('agrees on keys as DTLS %s', (role) => {
    const [service, phone] = [openService(role), openPhone(role === 'server' ? 'client' : 'server')];
    carry(service, phone);
    expect(service.keys).toEqual([{ keys: expect.anything(), peer: PHONE }]);
    expect(service.keys[0]?.keys.send).toEqual(phone.keys[0]?.keys.receive);
    service.media.tick(nowMs + 2 * HANDSHAKE_LIMIT_MS);
    expect(service.failures).toEqual([]);
  });

  it('completes a handshake that begins before the SDP that announces it', () => {
    const service = open(ofService);
    const phone = openPhone();
    carry(service, phone);
    expect(phone.keys).toEqual([]);
    service.media.signalled(PHONE, nowMs);
    service.media.use(negotiated('server', ofPhone.fingerprint), nowMs);
    carry(service, phone);
    expect(service.keys[0]?.keys.send).toEqual(phone.keys[0]?.keys.receive);
  });

  it('waits for the SDP answer of a new party whose handshake begins before it', () => {
    const other = { address: '192.0.2.77', port: 7000 };
    const service = openService();
    carry(service, openPhone());
    service.media.offered();
    const target = openPhone('client', ofOther);
    carry(service, target, other);
    expect([service.keys.length, target.keys.length]).toEqual([1, 0]);
    service.media.use(negotiated('server', ofOther.fingerprint, 'second'), nowMs);
    service.media.signalled(other, nowMs);
    carry(service, target, other);
    expect(service.keys).toMatchObject([{ peer: PHONE }, { peer: other }]);
  });

  it('accepts a phone behind a NAT at another address than signalled', () => {
    const mapped = { address: '203.0.113.5', port: 61_000 };
    const service = openService();
    carry(service, openPhone(), mapped);
    expect(service.keys).toMatchObject([{ peer: mapped }]);
  });

  it.each(['server', 'client'] as const)(
    'fails at once as DTLS %s when the peer has another certificate',
    (role) => {
      const service = openService(role, ofOther.fingerprint);
      const phone = openPhone(role === 'server' ? 'client' : 'server');
      carry(service, phone);
      expect(service.failures).toEqual([
        'DTLS handshake failed: the certificate has another fingerprint than signalled',
      ]);
      expect([service.keys, phone.keys]).toEqual([[], []]);
    },
  );

  it('still completes the handshake when unknown sources with other certificates begin one', () => {
    const service = openService();
    for (let port = 5000; port < 5008; port += 1) {
      carry(service, openPhone('client', ofOther), { address: '203.0.113.66', port });
    }
    expect(service.failures).toEqual([]);
    nowMs += 1000;
    carry(service, openPhone());
    expect(service.keys).toMatchObject([{ peer: PHONE }]);
  });

  it('fails when no handshake completes within the limit after its start', () => {
    const service = open(ofService);
    service.media.signalled(PHONE, nowMs);
    service.media.use(negotiated('server', ofPhone.fingerprint), nowMs);
    service.media.tick(nowMs + 10 * HANDSHAKE_LIMIT_MS);
    expect(service.failures).toEqual([]);
    service.media.start(nowMs);
    service.media.tick(nowMs + HANDSHAKE_LIMIT_MS - 1);
    expect(service.failures).toEqual([]);
    service.media.tick(nowMs + HANDSHAKE_LIMIT_MS);
    service.media.tick(nowMs + HANDSHAKE_LIMIT_MS + 1);
    expect(service.failures).toEqual(['DTLS handshake failed: no handshake within 10 s']);
  });

  it('renews the keys when the phone completes another handshake, and uses the previous keys until then', () => {
    const service = openService();
    carry(service, openPhone());
    const again = openPhone();
    for (const { datagram } of again.sent) service.media.receive(datagram, PHONE, nowMs);
    expect(service.keys).toHaveLength(1);
    service.media.tick(nowMs + 2 * HANDSHAKE_LIMIT_MS);
    expect(service.failures).toEqual([]);
    service.sent.length = 0;
    nowMs += 5000;
    carry(service, openPhone());
    expect(service.keys).toHaveLength(2);
    expect(service.keys[1]?.keys).not.toEqual(service.keys[0]?.keys);
  });

  it('performs another handshake for another negotiation, and none for the same', () => {
    const [service, phone] = [openService(), openPhone()];
    carry(service, phone);
    phone.media.use(negotiated('client', ofService.fingerprint), nowMs);
    expect(phone.sent).toEqual([]);
    phone.media.use(negotiated('client', ofService.fingerprint, 'second'), nowMs);
    service.media.use(negotiated('server', ofPhone.fingerprint, 'second'), nowMs);
    carry(service, phone);
    expect([service.keys.length, phone.keys.length]).toEqual([2, 2]);
  });

  it('begins the handshake as client at the address of a new negotiation, even when it is signalled later', () => {
    const other = { address: '192.0.2.77', port: 7000 };
    const service = openService('client');
    carry(service, openPhone('server'));
    service.media.use(negotiated('client', ofOther.fingerprint, 'second'), nowMs);
    service.media.signalled(other, nowMs);
    carry(service, openPhone('server', ofOther), other);
    expect(service.keys).toMatchObject([{ peer: PHONE }, { peer: other }]);
  });

  it('offers a handshake as client when the peer moves, and continues when it is not accepted', () => {
    const moved = { address: '192.0.2.11', port: 4002 };
    const service = openService('client');
    carry(service, openPhone('server'));
    service.media.signalled(moved, nowMs);
    expect(service.sent).toMatchObject([{ to: moved }]);
    service.media.tick(nowMs + HANDSHAKE_LIMIT_MS);
    expect(service.failures).toEqual([]);
    service.sent.length = 0;
    const again = { address: '192.0.2.11', port: 4004 };
    service.media.signalled(again, nowMs);
    carry(service, openPhone('server'), again);
    expect(service.keys).toMatchObject([{ peer: PHONE }, { peer: again }]);
  });

  it('responds to a flood of ClientHello messages with few bytes, up to a limit', () => {
    const service = openService();
    const [hello] = openPhone().sent;
    let receivedBytes = 0;
    for (let port = 1024; port < 2024; port += 1) {
      service.media.receive(Buffer.from(hello!.datagram), { address: '203.0.113.7', port }, nowMs);
      receivedBytes += hello!.datagram.length;
    }
    const sentBytes = service.sent.reduce((sum, { datagram }) => sum + datagram.length, 0);
    expect(service.sent.length).toBeLessThanOrEqual(10);
    expect(sentBytes).toBeLessThan(receivedBytes / 100);
  });

  it('handles mutated datagrams in every step, and never uses keys that differ from those of the phone', () => {
    let completed = 0;
    for (let round = 0; round < 1000; round += 1) {
      const random = randomOf(round);
      const service = openService();
      const phone = openPhone();
      for (let turns = 0; turns < 12; turns += 1) {
        for (const { datagram } of phone.sent.splice(0))
          service.media.receive(mutated(datagram, random), PHONE, nowMs);
        for (const { datagram } of service.sent.splice(0)) phone.media.receive(datagram, SERVICE, nowMs);
      }
      if (service.keys.length > 0 && phone.keys.length > 0) {
        completed += 1;
        expect(service.keys[0]?.keys.send).toEqual(phone.keys[0]?.keys.receive);
      }
      service.media.close();
      phone.media.close();
    }
    expect(completed).toBeGreaterThan(0);
    expect(completed).toBeLessThan(1000);
  });
});

/** A seeded generator of pseudo-random numbers below `limit`. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Changes half of the datagrams: one byte, many bytes or the length. */
function mutated(datagram: Buffer, random: (limit: number) => number): Buffer {
  const bytes = Buffer.from(datagram);
  switch (random(8)) {
    case 0:
      bytes[random(bytes.length)] = random(256);
      return bytes;
    case 1:
      return bytes.subarray(0, random(bytes.length));
    case 2:
      return Buffer.concat([bytes, bytes.subarray(random(bytes.length))]);
    case 3:
      for (let i = 13; i < bytes.length; i += 1 + random(40)) bytes[i] = random(256);
      return bytes;
    default:
      return bytes;
  }
}
