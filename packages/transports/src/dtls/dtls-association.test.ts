import { describe, expect, it } from '@jest/globals';
import { delay, systemClock } from '@calls/foundation/clock';
import type { DtlsAssociation } from './dtls-association.ts';
import { DtlsContext } from './dtls-context.ts';
import type { Fingerprint } from './fingerprint.ts';

const [caller, callee] = [DtlsContext.create(), DtlsContext.create()];

interface Pair {
  client: DtlsAssociation;
  server: DtlsAssociation;
}

function pair(expected: { ofClient?: Fingerprint; ofServer?: Fingerprint } = {}): Pair {
  const { ofClient = caller.fingerprint, ofServer = callee.fingerprint } = expected;
  return {
    client: caller.open({ role: 'client', fingerprints: [ofServer], source: '192.0.2.1:4000' }),
    server: callee.open({ role: 'server', fingerprints: [ofClient], source: '192.0.2.2:5000' }),
  };
}

/** Carries all datagrams in both directions until none is left. Returns their sizes by direction, in order. */
function carry({ client, server }: Pair, toServer = client.start()): { up: number[]; down: number[] } {
  const sizes = { up: [] as number[], down: [] as number[] };
  let pending = toServer;
  for (let turns = 0; turns < 10 && pending.length > 0; turns += 1) {
    sizes.up.push(...pending.map(({ length }) => length));
    const back = pending.flatMap((datagram) => server.receive(datagram));
    sizes.down.push(...back.map(({ length }) => length));
    pending = back.flatMap((datagram) => client.receive(datagram));
  }
  return sizes;
}

describe('DtlsAssociation', () => {
  it('agrees on the keys of both directions with the peer', () => {
    const both = pair();
    carry(both);
    expect([both.client.failure, both.server.failure]).toEqual([null, null]);
    expect(both.client.keys?.send).toEqual(both.server.keys?.receive);
    expect(both.client.keys?.receive).toEqual(both.server.keys?.send);
    expect(both.client.keys?.send.suite).toBe('AES_CM_128_HMAC_SHA1_80');
    expect(both.client.keys?.send.master).toHaveLength(30);
    expect(both.client.keys?.send.master).not.toEqual(both.client.keys?.receive.master);
    const again = pair();
    carry(again);
    expect(again.client.keys?.send.master).not.toEqual(both.client.keys?.send.master);
  });

  it('sends fewer bytes than it received until the peer has returned its cookie', () => {
    const { client, server } = pair();
    const [hello] = client.start();
    const reply = server.receive(hello!);
    expect(reply.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(hello!.length);
    // A cookie for another address is rejected: the server sends a new cookie and not its certificate.
    const [withCookie] = client.receive(reply[0]!);
    const other = callee.open({
      role: 'server',
      fingerprints: [caller.fingerprint],
      source: '198.51.100.9:1',
    });
    const sent = other.receive(withCookie!).reduce((sum, { length }) => sum + length, 0);
    expect(sent).toBeLessThan(withCookie!.length);
    expect(server.receive(withCookie!).reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(300);
  });

  it.each(['ofClient', 'ofServer'] as const)('rejects a certificate with another fingerprint: %s', (side) => {
    const other = DtlsContext.create().fingerprint;
    const both = pair({ [side]: other });
    carry(both);
    const verifier = side === 'ofClient' ? both.server : both.client;
    expect(verifier).toMatchObject({
      keys: null,
      isMismatch: true,
      failure: 'the certificate has another fingerprint than signalled',
    });
    const refused = side === 'ofClient' ? both.client : both.server;
    expect(refused.keys).toBeNull();
    expect(refused.failure).toMatch(/alert/u);
  });

  it('responds to a repeated last flight after its handshake has completed', async () => {
    const both = pair();
    const { client, server } = both;
    let last: Buffer[] = client.start();
    for (;;) {
      const back = last.flatMap((datagram) => server.receive(datagram));
      if (server.keys) break;
      last = back.flatMap((datagram) => client.receive(datagram));
    }
    // The reply of the server was lost.
    expect(client.keys).toBeNull();
    let repeated = client.tick();
    for (; repeated.length === 0; repeated = client.tick()) await delay(systemClock, 50);
    for (const back of repeated.flatMap((datagram) => server.receive(datagram))) client.receive(back);
    expect(client.keys?.send).toEqual(server.keys.receive);
  });
});
