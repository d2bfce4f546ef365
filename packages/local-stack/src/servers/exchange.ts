import { connect } from 'node:net';
import { LOOPBACK } from './launch-server.ts';

/** A busy machine may take seconds to start the process that responds. */
const EXCHANGE_LIMIT_MS = 10_000;
const MAX_REPLY_BYTES = 64 * 1024;

/**
 * Connects, sends `request`, and reads until `accept` decides. Also false if nothing listens, the peer disconnects, or
 * ten seconds have passed.
 */
export function exchange(
  port: number,
  request: Uint8Array | string,
  accept: (reply: Buffer) => boolean | undefined,
): Promise<boolean> {
  return new Promise((resolve) => {
    let reply = Buffer.alloc(0);
    const socket = connect(port, LOOPBACK);
    const finish = (isAccepted: boolean): void => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.setTimeout(EXCHANGE_LIMIT_MS, () => finish(false));
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      reply = Buffer.concat([reply, chunk]);
      const isAccepted = reply.length > MAX_REPLY_BYTES ? false : accept(reply);
      if (isAccepted !== undefined) finish(isAccepted);
    });
    socket.on('error', () => finish(false));
    socket.on('end', () => finish(false));
  });
}
