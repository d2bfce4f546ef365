import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { DEFAULT_SIP_RTP_PORTS } from './stack-size.ts';

/** A TCP port that is free now. Another program may take it before it is used, so callers retry. */
export function findFreePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('the system returned no port'));
      });
    });
  });
}

/** Whether a server can listen on the port on every interface. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => {
      server.close(() => resolve(true));
    });
  });
}

/** The same for UDP. */
export function isUdpPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => socket.close(() => resolve(false)));
    socket.bind(port, () => {
      socket.close(() => resolve(true));
    });
  });
}

/** Above the default media ports of SIP calls. */
const FIRST_PORT = DEFAULT_SIP_RTP_PORTS.last + 1;
/** Below Linux's ephemeral ports, which other programs' outgoing connections use. */
const LAST_PORT = 32_000;
const MAX_TRIES = 200;

/** The first of `count` consecutive free ports, chosen at random. For tests. */
export async function findFreePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const first = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isPortFree(first + index)));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} free ports in a row found`);
}
