import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { readRtpPacket } from '../rtp/rtp-packet.ts';
import type { RtpChannel } from './rtp-channel.ts';
import { RtpThread } from './rtp-thread.ts';

const HOST = '127.0.0.1';
const FORMAT = { clockRateHz: 8000, silence: Uint8Array.of(0xff), silenceType: 0 };
const LIMIT_MS = 20_000;

let rtp: RtpThread;
let workers: Worker[];
let peer: Socket;
let received: Buffer[];

beforeEach(async () => {
  workers = [];
  rtp = await RtpThread.start({ log: silentLogger, clock: systemClock }, (ticks) => {
    const worker = new Worker(new URL('./rtp-thread-entry.ts', import.meta.url), { workerData: ticks });
    workers.push(worker);
    return worker;
  });
  peer = createSocket('udp4');
  peer.bind(0, HOST);
  await once(peer, 'listening');
  received = [];
  peer.on('message', (bytes) => void received.push(bytes));
});
afterEach(async () => {
  peer.close();
  await rtp[Symbol.asyncDispose]();
});

async function open(onClosed = (): void => undefined): Promise<RtpChannel> {
  const channel = await rtp.open([HOST], 0, onClosed);
  channel.apply({ type: 'signalled', address: { address: HOST, port: peer.address().port } });
  channel.apply({ type: 'format', format: FORMAT });
  return channel;
}

/** The first packet that `matches`. */
async function packet(matches: (payload: Uint8Array) => boolean): Promise<Uint8Array> {
  for (;;) {
    for (const bytes of received.splice(0)) {
      const payload = readRtpPacket(bytes)?.payload;
      if (payload && matches(payload)) return payload;
    }
    await once(peer, 'message');
  }
}

describe('RtpThread', () => {
  it('sends written frames while the main thread is busy, then silence', async () => {
    const channel = await open();
    await packet((payload) => payload[0] === 0xff);
    for (const byte of [1, 2, 3]) channel.write(Uint8Array.of(byte), 0);
    const untilMs = performance.now() + LIMIT_MS;
    // Only the other thread takes frames.
    while (channel.endMs() > channel.sentEndMs && performance.now() < untilMs);
    expect(channel.endMs()).toBe(channel.sentEndMs);
    expect(await packet((payload) => payload[0] !== 0xff)).toEqual(Buffer.of(1));
    await packet((payload) => payload[0] === 3);
    await packet((payload) => payload[0] === 0xff);
    channel.close();
  });

  it('sends no frame that was cleared', async () => {
    const channel = await open();
    // Frames written before the thread has the format are dropped.
    await packet((payload) => payload[0] === 0xff);
    const before = channel.sentPackets;
    for (let i = 0; i < 20; i += 1) channel.write(Uint8Array.of(i), 0);
    channel.clear(systemClock.nowMs());
    // On a busy machine the other thread may have sent some, and may be sending one.
    const mostSent = channel.sentPackets - before + 1;
    channel.write(Uint8Array.of(99), 0);
    const sent: number[] = [];
    await packet(([first = 0xff]) => {
      if (first !== 0xff) sent.push(first);
      return first === 99;
    });
    expect(sent.length - 1).toBeLessThanOrEqual(mostSent);
    expect(sent.slice(0, -1)).toEqual(Array.from({ length: sent.length - 1 }, (_, i) => i));
    channel.close();
  });

  it('passes on packets of the peer with their arrival time, and reports that the port is closed', async () => {
    const closed = Promise.withResolvers<true>();
    const beganMs = systemClock.nowMs();
    const channel = await open(() => closed.resolve(true));
    const arrival = new Promise<[Buffer, number]>((resolve) => {
      channel.onPacket = (bytes, arrivedMs) => resolve([bytes, arrivedMs]);
    });
    const sent = Buffer.alloc(20, 0x80);
    peer.send(sent, channel.port, HOST);
    const [bytes, arrivedMs] = await arrival;
    expect(bytes).toEqual(sent);
    expect(arrivedMs).toBeGreaterThan(beganMs);
    expect(arrivedMs).toBeLessThan(systemClock.nowMs() + 1);
    channel.close();
    await closed.promise;
  });

  it('exchanges packets with one peer only when it is opened to that peer', async () => {
    const address = { address: HOST, port: peer.address().port };
    const limits = { burst: 10, perSecond: 10 };
    const channel = await rtp.openTo({ host: HOST, peer: address, limits });
    const arrival = new Promise<Buffer>((resolve) => {
      channel.onPacket = resolve;
    });
    const stranger = createSocket('udp4');
    const strange = Buffer.alloc(20, 0x80);
    await new Promise((resolve) => stranger.send(strange, channel.port, HOST, resolve));
    stranger.close();
    const own = Buffer.alloc(30, 0x80);
    peer.send(own, channel.port, HOST);
    expect(await arrival).toEqual(own);
    expect(channel.dropped.stray).toBe(0);
    channel.apply({ type: 'format', format: { ...FORMAT, silence: null, ssrc: 7 } });
    channel.write(Uint8Array.of(1), 0);
    await once(peer, 'message');
    expect(received.map((bytes) => readRtpPacket(bytes))).toEqual([expect.objectContaining({ ssrc: 7 })]);
    channel.close();
  });

  it('rejects with the system error if a port is in use', async () => {
    const { port } = peer.address();
    await expect(rtp.open([HOST], port, () => undefined)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('reports lost channels, frees their ports and restarts when its worker thread exits', async () => {
    const closed = Promise.withResolvers<true>();
    const channel = await open(() => closed.resolve(true));
    const lost = new Promise<string>((resolve) => {
      channel.onLost = resolve;
    });
    const unopened = rtp.open([HOST], 0, () => undefined);
    const [first] = workers;
    await Promise.all([first?.terminate(), lost, closed.promise, unopened.catch(() => undefined)]);
    channel.close();
    await expect(rtp.open([HOST], 0, () => undefined)).rejects.toThrow('the RTP thread is not running');
    for (;;) {
      const next = await open().catch(() => null);
      if (next) {
        await packet((payload) => payload[0] === 0xff);
        next.close();
        return;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});
