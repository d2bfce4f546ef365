import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect as connectTcp, createServer, isIP, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { familyOf } from '@calls/foundation/address-network';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { SipError, type SipSource } from '../calls.ts';
import type { SipLimits, SipTlsOptions } from '../endpoint-options.ts';
import { sideFor, type EndpointSides } from './endpoint-sides.ts';
import { CONNECT_LIMIT_MS, StreamConnections } from './stream-connections.ts';
import { identityError, TlsIdentity, type TlsMaterial } from './tls-identity.ts';
import type { MessageTransport, MessageTransportHandlers } from './message-transport.ts';

interface MessageTransportOptions extends MessageTransportHandlers, EndpointSides {
  port: number;
  tls?: SipTlsOptions | undefined;
  clock: Clock;
  log: Logger;
  limits: SipLimits;
}

const ANY_IPV4 = '0.0.0.0';
const ANY = new Set(['', ANY_IPV4, '::']);
/** A UDP port that is free may be in use for TCP. */
const FREE_PORT_TRIES = 10;

/**
 * Rejects with the system error (`EADDRINUSE`, `EACCES`, …) if a port cannot be opened, with a SipTlsFileError if a
 * certificate file cannot be used.
 */
export async function openMessageTransport(options: MessageTransportOptions): Promise<MessageTransport> {
  const identity = options.tls ? await TlsIdentity.load(options.tls, options) : null;
  for (let left = options.port === 0 ? FREE_PORT_TRIES : 1; ; left -= 1) {
    try {
      return await openOnce(options, identity);
    } catch (thrown) {
      if (left > 1) continue;
      identity?.[Symbol.dispose]();
      throw thrown;
    }
  }
}

async function openOnce(
  options: MessageTransportOptions,
  identity: TlsIdentity | null,
): Promise<MessageTransport> {
  const { limits, tls, log, otherFamily } = options;
  const streams = new StreamConnections({
    ...options,
    dial: (to, onOpen) =>
      to.transport === 'tls' ? dialTls(to, { ...options, identity }, onOpen) : dialTcp(to, options, onOpen),
  });
  const hosts = [options.host === '' ? ANY_IPV4 : options.host, ...(otherFamily ? [otherFamily.host] : [])];
  const sides = hosts.map((host) => ({
    host,
    udp: createSocket({ type: `udp${familyOf(host)}`, ipv6Only: familyOf(host) === 6 }),
    tcp: createServer((socket) => {
      if (streams.admit(socket)) streams.add(socket, 'tcp');
    }),
    tls: tls && identity ? createTlsListener({ tls, identity, streams, log }) : null,
  }));
  const tlsServers = sides.flatMap((side) => side.tls ?? []);
  const servers = [...sides.map(({ tcp }) => tcp), ...tlsServers];
  for (const each of servers) each.maxConnections = limits.connections;
  let port = options.port;
  let tlsPort = tls?.port ?? 0;
  try {
    // Both families have the same ports.
    for (const side of sides) {
      await bound(side.udp, side.host, port);
      ({ port } = side.udp.address());
      await listening(side.tcp, side.host, port);
      if (!side.tls) continue;
      await listening(side.tls, side.host, tlsPort);
      tlsPort = portOf(side.tls);
    }
  } catch (thrown) {
    for (const { udp } of sides) udp.close();
    for (const each of servers) if (each.listening) each.close();
    throw thrown;
  }
  if (tls && identity) {
    identity.onChange = (material) => {
      for (const each of tlsServers) each.setSecureContext(listenerSettings(tls, material));
    };
  }
  for (const each of servers) each.on('error', (err) => log.warn({ err }, 'failed to accept SIP connection'));
  for (const { udp } of sides) {
    udp.on('error', (err) => log.warn({ err }, 'SIP UDP socket failed'));
    udp.on('message', (bytes, from) => {
      options.onBytes(bytes, { transport: 'udp', address: from.address, port: from.port });
    });
  }
  const udpFor = ({ address }: SipSource): UdpSocket | undefined =>
    sides.find(({ host }) => familyOf(host) === familyOf(address))?.udp;
  return {
    port,
    tlsPort: tlsServers.length > 0 ? tlsPort : null,
    send: (text, to) =>
      to.transport === 'udp' ? sendDatagram(udpFor(to), text, to) : streams.send(text, to),
    async [Symbol.asyncDispose]() {
      identity?.[Symbol.dispose]();
      streams.close();
      await Promise.all(
        [...sides.map(({ udp }) => udp), ...servers].map(
          (each) =>
            new Promise<void>((resolve) => {
              each.close(() => resolve());
            }),
        ),
      );
    },
  };
}

interface TlsListener {
  tls: SipTlsOptions;
  identity: TlsIdentity;
  streams: StreamConnections;
  log: Logger;
}

function createTlsListener({ tls, identity, streams, log }: TlsListener): TlsServer {
  const { requiresClientCertificate: isRequired } = tls;
  const server = createTlsServer({
    ...listenerSettings(tls, identity.material),
    requestCert: isRequired,
    rejectUnauthorized: isRequired,
    handshakeTimeout: CONNECT_LIMIT_MS,
  });
  server.on('connection', (socket: Socket) => streams.admit(socket));
  server.on('secureConnection', (socket) => streams.add(socket, 'tls'));
  server.on('tlsClientError', (err, socket) => {
    log.debug({ err, pii: { address: socket.remoteAddress } }, 'SIP TLS handshake failed');
    socket.destroy();
  });
  return server;
}

/** Anyone can get a certificate from a public authority, so only the authorities in `caFile` admit peers. */
function listenerSettings({ requiresClientCertificate }: SipTlsOptions, { cert, key, ca }: TlsMaterial) {
  return { cert, key, ...(requiresClientCertificate && ca !== null && { ca }) };
}

function localAddress(sides: EndpointSides, { address }: SipSource): { localAddress?: string } {
  const { host } = sideFor(sides, address);
  return ANY.has(host) ? {} : { localAddress: host };
}

function dialTcp(to: SipSource, sides: EndpointSides, onOpen: () => void) {
  return connectTcp({ host: to.address, port: to.port, ...localAddress(sides, to) }, onOpen);
}

/** A peer that opened its connection has no name to verify, so no other connection to it can be opened. */
function dialTls(to: SipSource, sides: EndpointSides & { identity: TlsIdentity | null }, onOpen: () => void) {
  const { address, port, serverName } = to;
  const { identity } = sides;
  if (!identity) throw new SipError('unreachable', 'TLS is not configured');
  if (serverName === undefined) throw new SipError('unreachable', 'the peer has closed its connection');
  const options = {
    host: address,
    port,
    secureContext: identity.context,
    checkServerIdentity: (_host: string, certificate: Parameters<typeof identityError>[1]) =>
      identityError(serverName, certificate),
    ...localAddress(sides, to),
    // SNI has host names only (RFC 6066, 3).
    ...(isIP(serverName) === 0 && { servername: serverName }),
  };
  return connectTls(options, onOpen);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server is not listening');
  return address.port;
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
    server.listen({ host, port, ipv6Only: familyOf(host) === 6 }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

async function sendDatagram(
  socket: UdpSocket | undefined,
  text: string,
  { address, port }: SipSource,
): Promise<void> {
  if (!socket)
    throw new SipError('unreachable', 'no listening address has the family (IPv4, IPv6) of the peer');
  await new Promise<void>((resolve, reject) => {
    socket.send(text, port, address, (cause) => {
      if (cause) reject(new SipError('unreachable', 'failed to send datagram', { cause }));
      else resolve();
    });
  });
}
