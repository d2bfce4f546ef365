import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, isIPv6, type Server } from 'node:net';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { SipError, type SipSource } from '../calls.ts';
import type { SipLimits } from '../endpoint-options.ts';
import { TcpConnections } from './tcp-connections.ts';
import type { Wire, WireHandlers } from './wire.ts';

interface WireOptions extends WireHandlers {
  host: string;
  port: number;
  clock: Clock;
  log: Logger;
  limits: SipLimits;
}

const ANY_IPV4 = '0.0.0.0';
/** A UDP port that is free may be in use for TCP. */
const FREE_PORT_TRIES = 10;

/** Rejects with the system error (`EADDRINUSE`, `EACCES`, …) if the port cannot be opened. */
export async function openWire(options: WireOptions): Promise<Wire> {
  for (let left = options.port === 0 ? FREE_PORT_TRIES : 1; ; left -= 1) {
    try {
      return await openOnce(options);
    } catch (thrown) {
      if (left === 1) throw thrown;
    }
  }
}

async function openOnce(options: WireOptions): Promise<Wire> {
  const { log } = options;
  const host = options.host === '' ? ANY_IPV4 : options.host;
  const udp = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  const tcp = new TcpConnections(options);
  const server = createServer((socket) => tcp.add(socket));
  server.maxConnections = options.limits.connections;
  try {
    await bound(udp, host, options.port);
    await listening(server, host, udp.address().port);
  } catch (thrown) {
    udp.close();
    throw thrown;
  }
  const { port } = udp.address();
  udp.on('error', (err) => log.warn({ err }, 'SIP UDP socket failed'));
  server.on('error', (err) => log.warn({ err }, 'failed to accept SIP TCP connection'));
  udp.on('message', (bytes, from) => {
    options.onBytes(bytes, { transport: 'udp', address: from.address, port: from.port });
  });
  return {
    port,
    send: (text, to) => (to.transport === 'tcp' ? tcp.send(text, to) : sendDatagram(udp, text, to)),
    async [Symbol.asyncDispose]() {
      tcp.close();
      await Promise.all([
        new Promise<void>((resolve) => {
          udp.close(resolve);
        }),
        new Promise<void>((resolve) => {
          server.close(() => resolve());
        }),
      ]);
    },
  };
}

function bound(socket: UdpSocket, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address: host, port }, () => {
      socket.removeListener('error', reject);
      resolve();
    });
  });
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function sendDatagram(socket: UdpSocket, text: string, { address, port }: SipSource): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(text, port, address, (cause) => {
      if (cause) reject(new SipError('unreachable', 'failed to send datagram', { cause }));
      else resolve();
    });
  });
}
