import { Duplex } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { clientAddress, UnauthenticatedConnections } from './unauthenticated-connections.ts';

let connections: UnauthenticatedConnections;
beforeEach(() => {
  connections = new UnauthenticatedConnections({ perNetwork: 3, overall: 10 });
});

function entered(count: number, address: string): Duplex[] {
  return Array.from({ length: count }, () => {
    const connection = new Duplex({ read: () => undefined });
    connections.enter(connection, address);
    return connection;
  });
}

const open = (connections: readonly Duplex[]): boolean[] => connections.map(({ destroyed }) => !destroyed);

describe('UnauthenticatedConnections', () => {
  it('limits connections per network, closes the oldest ones, and does not affect other networks', () => {
    const other = entered(1, '192.0.2.2');
    const flood = entered(6, '192.0.2.1');
    expect(open(flood)).toEqual([false, false, false, true, true, true]);
    expect(open(other)).toEqual([true]);
    const network = entered(4, '2001:db8::1').concat(entered(1, '2001:db8::2'));
    expect(open(network)).toEqual([false, false, true, true, true]);
  });

  it('limits all connections and closes the oldest ones', () => {
    const all = Array.from({ length: 12 }, (_, i) => entered(1, `192.0.2.${i}`)).flat();
    expect(open(all)).toEqual([false, false, ...Array<boolean>(10).fill(true)]);
  });

  it('stops counting connections once their token is valid or they are closed', async () => {
    const valid = entered(3, '192.0.2.1');
    for (const connection of valid) connections.leave(connection);
    const closed = entered(3, '192.0.2.1');
    for (const connection of closed) connection.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    const staying = entered(3, '192.0.2.1');
    for (const connection of staying) connections.enter(connection, '192.0.2.1');
    expect(open([...valid, ...staying])).toEqual(Array<boolean>(6).fill(true));
  });
});

describe('clientAddress', () => {
  it.each([
    ['10.0.0.1, 192.0.2.1', 0, '127.0.0.1'],
    ['10.0.0.1, 192.0.2.1', 1, '192.0.2.1'],
    ['10.0.0.1, 192.0.2.1, 10.1.1.1', 2, '192.0.2.1'],
    ['192.0.2.1', 3, '192.0.2.1'],
    ['', 1, '127.0.0.1'],
    [' , ', 1, '127.0.0.1'],
  ])('with X-Forwarded-For: %s behind %i proxies returns %s', (forwarded, proxies, address) => {
    const request = { headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: '127.0.0.1' } };
    expect(clientAddress(request, proxies)).toBe(address);
  });
});
