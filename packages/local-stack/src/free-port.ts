import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { LocalStackError } from './reporter.ts';
import { DEFAULT_SIP_RTP_PORTS } from './stack-size.ts';

/** The range between the default ports for WebRTC and those for the media of SIP calls. */
const SERVER_PORTS = { first: 11_000, last: DEFAULT_SIP_RTP_PORTS.first - 1 };
const MAX_TRIES = 1000;

/**
 * A TCP port that is free now, outside Linux's ephemeral ports. Another program may take it before it is used, so callers
 * retry.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(SERVER_PORTS.first, SERVER_PORTS.last + 1);
    if (await isPortFree(port)) return port;
  }
  throw new LocalStackError(
    'no_free_port',
    `no free port found from ${SERVER_PORTS.first} to ${SERVER_PORTS.last}`,
  );
}

/** Whether a server can listen on the port on every interface. Rejects if this user may not. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      if ('code' in error && error.code === 'EACCES') reject(error);
      else resolve(false);
    });
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
const BLOCK_PORTS = 400;
const BLOCKS = Math.floor((LAST_PORT - FIRST_PORT) / BLOCK_PORTS);

/** Ports of this process. No other process that finds ports here has them too. */
interface Block {
  first: number;
  /** Offset of the next port. Ports come in sequence, so that none is returned twice before it is used. */
  next: number;
}

let block: Promise<Block> | null = null;

/** The first of `count` consecutive ports that are free for TCP and UDP, at most 100. For tests. */
export async function findFreePorts(count: number): Promise<number> {
  block ??= claimBlock();
  const ports = await block;
  for (let tries = 0; tries < BLOCK_PORTS; tries += 1) {
    if (ports.next + count > BLOCK_PORTS) ports.next = 1;
    const first = ports.first + ports.next;
    ports.next += count;
    const numbers = Array.from({ length: count }, (_, index) => first + index);
    const free = await Promise.all(numbers.flatMap((port) => [isPortFree(port), isUdpPortFree(port)]));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} consecutive free ports found`);
}

/** Listens on the first port of a block until the process ends, which reserves the block. */
async function claimBlock(): Promise<Block> {
  const start = Math.floor(Math.random() * BLOCKS);
  for (let index = 0; index < BLOCKS; index += 1) {
    const first = FIRST_PORT + ((start + index) % BLOCKS) * BLOCK_PORTS;
    if (await reserve(first)) return { first, next: 1 };
  }
  throw new Error('all blocks of test ports are in use');
}

/** Whether this process got the port. */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.unref();
    server.once('error', () => resolve(false));
    server.listen(port, () => resolve(true));
  });
}
