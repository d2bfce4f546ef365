import { systemClock, withTimeout } from '@calls/foundation/clock';
import type { IncomingMessage } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectSecure } from 'node:tls';

const CONNECT_LIMIT_MS = 2000;

/**
 * Forwards a client's upgrade request and all later bytes in both directions to another worker. The end of either side
 * ends both. Resolves when they are connected; rejects if the worker is unreachable.
 */
export async function forwardConnection(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  workerUrl: string,
): Promise<{ ended: Promise<unknown> }> {
  const worker = await reach(workerUrl);
  const ended = Promise.withResolvers<null>();
  const end = (): void => {
    client.destroy();
    worker.destroy();
    ended.resolve(null);
  };
  for (const side of [client, worker]) {
    side.on('error', end);
    side.on('close', end);
  }
  if (client.destroyed) {
    end();
    return { ended: ended.promise };
  }
  worker.setNoDelay(true);
  worker.write(requestHead(request));
  if (head.byteLength > 0) worker.write(head);
  client.pipe(worker);
  worker.pipe(client);
  return { ended: ended.promise };
}

async function reach(workerUrl: string): Promise<Socket> {
  const { protocol, hostname, port } = new URL(workerUrl);
  const isSecure = protocol === 'wss:';
  const target = { host: hostname.replace(/^\[|\]$/gu, ''), port: Number(port) || (isSecure ? 443 : 80) };
  const socket = isSecure ? connectSecure({ ...target, servername: hostname }) : connectPlain(target);
  const connected = new Promise<void>((resolve, reject) => {
    socket.once(isSecure ? 'secureConnect' : 'connect', resolve);
    socket.once('error', reject);
  });
  try {
    await withTimeout(systemClock, connected, CONNECT_LIMIT_MS, 'reaching a worker');
    return socket;
  } catch (thrown) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw thrown;
  }
}

/** The request head as the client sent it (RFC 9112, section 3). Node has validated it. */
function requestHead({ method = 'GET', url = '/', rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
