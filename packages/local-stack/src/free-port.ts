import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { DEFAULT_SIP_RTP_PORTS } from './stack-size.ts';

/** A TCP port that nothing listens on just now. Another program may take it before it is used: callers try again. */
export function findFreePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('the system gave no port'));
      });
    });
  });
}

/** Whether a server could listen on the port, on every interface. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => {
      server.close(() => resolve(true));
    });
  });
}

/** Likewise, of UDP. */
export function isUdpPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => socket.close(() => resolve(false)));
    socket.bind(port, () => {
      socket.close(() => resolve(true));
    });
  });
}

/** Above the ports that media of SIP calls has by default. */
const FIRST_PORT = DEFAULT_SIP_RTP_PORTS.last + 1;
/** Below Linux's ephemeral ports: outgoing connections of other programs don't take these. */
const LAST_PORT = 32_000;
const MAX_TRIES = 200;

/** The first of `count` consecutive ports that nothing listens on just now, chosen at random. For tests. */
export async function findFreePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const first = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isPortFree(first + index)));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} free ports in a row found`);
}
