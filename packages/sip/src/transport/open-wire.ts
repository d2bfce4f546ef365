import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect as connectTcp, createServer, isIP, isIPv6, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { SipError, type SipSource } from '../calls.ts';
import type { SipLimits, SipTlsOptions } from '../endpoint-options.ts';
import { CONNECT_LIMIT_MS, StreamConnections } from './stream-connections.ts';
import { identityFault, TlsIdentity, type TlsMaterial } from './tls-identity.ts';
import type { Wire, WireHandlers } from './wire.ts';

interface WireOptions extends WireHandlers {
  host: string;
  port: number;
  tls?: SipTlsOptions | undefined;
  clock: Clock;
  log: Logger;
  limits: SipLimits;
}

const ANY_IPV4 = '0.0.0.0';
/** A UDP port that is free may be in use for TCP. */
const FREE_PORT_TRIES = 10;

/**
 * Rejects with the system error (`EADDRINUSE`, `EACCES`, …) if a port cannot be opened, or the certificate files cannot
 * be used.
 */
export async function openWire(options: WireOptions): Promise<Wire> {
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

async function openOnce(options: WireOptions, identity: TlsIdentity | null): Promise<Wire> {
  const { log, limits, tls } = options;
  const host = options.host === '' ? ANY_IPV4 : options.host;
  const udp = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  const streams = new StreamConnections({
    ...options,
    dial: (to, onOpen) =>
      to.transport === 'tls' ? dialTls(to, { ...options, identity }, onOpen) : dialTcp(to, options, onOpen),
  });
  const server = createServer((socket) => {
    if (streams.admit(socket)) streams.add(socket, 'tcp');
  });
  const tlsServer = tls && identity ? createTlsListener({ tls, identity, streams, log }) : null;
  const servers = [server, ...(tlsServer ? [tlsServer] : [])];
  for (const each of servers) each.maxConnections = limits.connections;
  try {
    await bound(udp, host, options.port);
    await listening(server, host, udp.address().port);
    if (tls && tlsServer) await listening(tlsServer, host, tls.port);
  } catch (thrown) {
    udp.close();
    for (const each of servers) if (each.listening) each.close();
    throw thrown;
  }
  udp.on('error', (err) => log.warn({ err }, 'SIP UDP socket failed'));
  for (const each of servers) each.on('error', (err) => log.warn({ err }, 'failed to accept SIP connection'));
  udp.on('message', (bytes, from) => {
    options.onBytes(bytes, { transport: 'udp', address: from.address, port: from.port });
  });
  return {
    port: udp.address().port,
    tlsPort: tlsServer && portOf(tlsServer),
    send: (text, to) => (to.transport === 'udp' ? sendDatagram(udp, text, to) : streams.send(text, to)),
    async [Symbol.asyncDispose]() {
      identity?.[Symbol.dispose]();
      streams.close();
      await Promise.all([
        new Promise<void>((resolve) => {
          udp.close(resolve);
        }),
        ...servers.map(
          (each) =>
            new Promise<void>((resolve) => {
              each.close(() => resolve());
            }),
        ),
      ]);
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
  // Anyone can have a certificate of a public authority, so only those of the own file admit peers.
  const settings = ({ cert, key, ca }: TlsMaterial) => ({
    cert,
    key,
    ...(isRequired && ca !== null && { ca }),
  });
  const server = createTlsServer({
    ...settings(identity.material),
    requestCert: isRequired,
    rejectUnauthorized: isRequired,
    handshakeTimeout: CONNECT_LIMIT_MS,
  });
  identity.onChange = (material) => server.setSecureContext(settings(material));
  server.on('connection', (socket: Socket) => streams.admit(socket));
  server.on('secureConnection', (socket) => streams.add(socket, 'tls'));
  server.on('tlsClientError', (err, socket) => {
    log.debug({ err, pii: { address: socket.remoteAddress } }, 'SIP TLS handshake failed');
    socket.destroy();
  });
  return server;
}

function dialTcp({ address, port }: SipSource, { host }: Pick<WireOptions, 'host'>, onOpen: () => void) {
  return connectTcp({ host: address, port, ...(host !== '' && { localAddress: host }) }, onOpen);
}

/** A peer that connected has no name to verify, so there is no connection to it but its own. */
function dialTls(
  { address, port, serverName }: SipSource,
  { host, identity }: Pick<WireOptions, 'host'> & { identity: TlsIdentity | null },
  onOpen: () => void,
) {
  if (!identity) throw new SipError('unreachable', 'TLS is not configured');
  if (serverName === undefined) throw new SipError('unreachable', 'the peer has closed its connection');
  const options = {
    host: address,
    port,
    secureContext: identity.context,
    checkServerIdentity: (_host: string, certificate: Parameters<typeof identityFault>[1]) =>
      identityFault(serverName, certificate),
    ...(host !== '' && { localAddress: host }),
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
