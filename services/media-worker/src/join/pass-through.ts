import { systemClock } from '@calls/foundation/clock';
import { withTimeout } from '@calls/foundation/abort';
import type { IncomingMessage } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectSecure } from 'node:tls';

const CONNECT_LIMIT_MS = 2000;

/**
 * Connects a client's request for an upgrade, and all that follows, with another worker: bytes pass both ways as they come, and
 * the end of either is the end of the other. Resolves when they are connected; rejects where that worker isn't reached.
 */
export async function passThrough(
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

/** As the client sent it (RFC 9112 section 3): Node has checked that it is well-formed. */
function requestHead({ method = 'GET', url = '/', rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
