import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { PERFECT_LINK, type LinkConditions } from '../support/lossy-link.ts';
import { startLossyRelay, type LossyRelay } from '../support/lossy-relay.ts';

const RELAY_ADDRESS = '127.0.0.2';
const COUNT = 1000;
const MAX_UNDER_WAY = 100;

async function opened(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

describe('a lossy relay', () => {
  let server: Socket;
  let client: Socket;
  let relay: LossyRelay | undefined;

  /** Sends `COUNT` numbered packets, which the server echoes, and returns those that the client receives. */
  async function echoed(conditions: LinkConditions): Promise<{ numbers: number[]; delaysMs: number[] }> {
    const { port } = server.address();
    relay = await startLossyRelay({
      listenAddress: RELAY_ADDRESS,
      serverAddress: '127.0.0.1',
      port,
      conditions,
      seed: 7,
    });
    const numbers: number[] = [];
    const delaysMs: number[] = [];
    client.on('message', (message, from) => {
      expect(from).toMatchObject({ address: RELAY_ADDRESS, port });
      numbers.push(message.readUInt32BE());
      delaysMs.push(performance.now() - message.readDoubleBE(4));
    });
    const { toServer, toClients } = relay;
    for (let n = 0; n < COUNT; n += 1) {
      const message = Buffer.alloc(12);
      message.writeUInt32BE(n);
      message.writeDoubleBE(performance.now(), 4);
      client.send(message, port, RELAY_ADDRESS);
      // A busy machine may read nothing for a while, and socket buffers hold a few hundred packets.
      const underWay = (): number => n + 1 - numbers.length - toServer.lost - toClients.lost;
      if (n % 10 === 9) await eventually(() => expect(underWay()).toBeLessThan(MAX_UNDER_WAY));
    }
    await eventually(() => {
      expect(toServer.arrived + toServer.lost).toBe(COUNT);
      expect(toClients.arrived + toClients.lost).toBe(toServer.arrived);
      expect(numbers).toHaveLength(toClients.arrived);
    });
    return { numbers, delaysMs };
  }

  beforeEach(async () => {
    server = await opened();
    client = await opened();
    server.on('message', (message, { port, address }) => server.send(message, port, address));
  });
  afterEach(async () => {
    await relay?.[Symbol.asyncDispose]();
    server.close();
    client.close();
  });

  it('drops the configured share of packets in each direction and preserves the order', async () => {
    const { numbers } = await echoed({ ...PERFECT_LINK, lossPercent: 10 });
    expect(relay?.toServer.lost).toBeGreaterThan(60);
    expect(relay?.toServer.lost).toBeLessThan(140);
    expect(numbers.length).toBeGreaterThan(720);
    expect(numbers.length).toBeLessThan(900);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('delays packets with jitter, which reorders them', async () => {
    const { numbers, delaysMs } = await echoed({
      lossPercent: 0,
      delayMs: 20,
      jitterMs: 25,
      keepsOrder: false,
    });
    expect(numbers).toHaveLength(COUNT);
    expect(numbers).not.toEqual(numbers.toSorted((a, b) => a - b));
    expect(Math.min(...delaysMs)).toBeGreaterThan(39);
    expect(Math.max(...delaysMs) - Math.min(...delaysMs)).toBeGreaterThan(50);
  });
});
