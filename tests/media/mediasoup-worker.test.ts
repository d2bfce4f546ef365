import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from '@jest/globals';
import * as mediasoup from 'mediasoup';
import { eventually } from '../support/eventually.ts';
import { mediasoupWorkerBinary } from '../support/mediasoup-worker.ts';

const LOOPBACK = '127.0.0.1';
const PAYLOAD_TYPE = 111;
const SSRC = 7;
const PACKETS = 50;
const HEADER_BYTES = 12;

const worker = await mediasoup.createWorker({ workerBin: mediasoupWorkerBinary(), logLevel: 'error' });
const router = await worker.createRouter({
  mediaCodecs: [{ kind: 'audio', mimeType: 'audio/opus', clockRate: 48_000, channels: 2 }],
});
afterAll(async () => {
  const gone = once(worker, 'subprocessclose');
  worker.close();
  await gone;
});

describe('the installed mediasoup worker', () => {
  it('passes RTP from the network to Node.js unchanged', async () => {
    const plain = await router.createPlainTransport({
      listenInfo: { protocol: 'udp', ip: LOOPBACK },
      comedia: true,
      rtcpMux: true,
    });
    const direct = await router.createDirectTransport();
    const producer = await plain.produce({
      kind: 'audio',
      rtpParameters: {
        codecs: [{ mimeType: 'audio/opus', payloadType: PAYLOAD_TYPE, clockRate: 48_000, channels: 2 }],
        encodings: [{ ssrc: SSRC }],
      },
    });
    const consumer = await direct.consume({
      producerId: producer.id,
      rtpCapabilities: router.rtpCapabilities,
    });
    const received: number[] = [];
    consumer.on('rtp', (packet) => received.push(packet.readUInt32BE(packet.length - 4)));

    const socket = createSocket('udp4');
    for (let i = 0; i < PACKETS; i += 1) socket.send(rtpPacket(i), plain.tuple.localPort, LOOPBACK);
    await eventually(() => expect(received).toHaveLength(PACKETS));
    socket.close();
    expect(received).toEqual(Array.from({ length: PACKETS }, (_, i) => i));
  });

  it('serves DTLS and data channels for browsers on one port', async () => {
    const server = await worker.createWebRtcServer({ listenInfos: [{ protocol: 'udp', ip: LOOPBACK }] });
    const transport = await router.createWebRtcTransport({ webRtcServer: server, enableSctp: true });
    expect(transport.iceCandidates).toEqual([
      expect.objectContaining({ address: LOOPBACK, protocol: 'udp', type: 'host' }),
    ]);
    expect(transport.dtlsParameters.fingerprints.map(({ algorithm }) => algorithm)).toContain('sha-256');
    expect(transport.sctpParameters).toBeDefined();
  });
});

/** An RTP packet with its number as the payload. */
function rtpPacket(number: number): Buffer {
  const packet = Buffer.alloc(HEADER_BYTES + 4);
  packet.writeUInt8(0x80, 0);
  packet.writeUInt8(PAYLOAD_TYPE, 1);
  packet.writeUInt16BE(number, 2);
  packet.writeUInt32BE(number * 960, 4);
  packet.writeUInt32BE(SSRC, 8);
  packet.writeUInt32BE(number, HEADER_BYTES);
  return packet;
}
