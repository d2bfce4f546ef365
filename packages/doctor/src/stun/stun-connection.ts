import { createSocket } from 'node:dgram';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { readStun, type StunMessage } from './stun-message.ts';

export interface StunServer {
  protocol: 'udp' | 'tcp' | 'tls';
  host: string;
  port: number;
  /** TCP frames each message by its length (RFC 4571): ICE does, TURN doesn't. */
  isFramed: boolean;
}

/** Sends STUN messages to one server and gives what it says. */
export interface StunConnection extends AsyncDisposable {
  /** Resolves to the next answer; rejects where none comes in time or the connection is refused. */
  ask(message: Buffer): Promise<StunMessage>;
}

const CONNECT_LIMIT_MS = 3000;
/** RFC 8489 section 6.2.1: the first one may be lost. */
const RESEND_AFTER_MS = [500, 1000, 2000] as const;
const ANSWER_LIMIT_MS = 3000;
const MAX_BYTES = 64 * 1024;

export function connectStun(server: StunServer): Promise<StunConnection> {
  return server.protocol === 'udp' ? connectUdp(server) : connectTcp(server);
}

async function connectUdp({ host, port }: StunServer): Promise<StunConnection> {
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    // Told where the name is not found, or no network leads there.
    socket.connect(port, host, (error?: Error) => (error ? reject(error) : resolve()));
  }).catch((thrown: unknown) => {
    socket.close();
    throw thrown;
  });
  return {
    ask: (message) =>
      answer((settle) => {
        socket.on('message', (bytes: Buffer) => {
          const read = readStun(bytes);
          if (read) settle.resolve(read);
        });
        socket.on('error', settle.reject);
        const send = (): void => socket.send(message);
        send();
        const timers = RESEND_AFTER_MS.map((afterMs) => setTimeout(send, afterMs));
        return () => {
          for (const timer of timers) clearTimeout(timer);
          socket
            .removeAllListeners('message')
            .removeAllListeners('error')
            .on('error', () => undefined);
        };
      }),
    [Symbol.asyncDispose]: () => new Promise((resolve) => void socket.close(() => resolve())),
  };
}

async function connectTcp({ protocol, host, port, isFramed }: StunServer): Promise<StunConnection> {
  const socket =
    protocol === 'tls'
      ? connectSecure({ host, port, ...(isIP(host) === 0 && { servername: host }) })
      : connectPlain({ host, port });
  await answer<null>((settle) => {
    socket.once(protocol === 'tls' ? 'secureConnect' : 'connect', () => settle.resolve(null));
    socket.once('error', settle.reject);
    return () => undefined;
  }, CONNECT_LIMIT_MS).catch((thrown: unknown) => {
    socket.on('error', () => undefined).destroy();
    throw thrown;
  });
  return {
    ask: (message) =>
      answer((settle) => {
        let received: Buffer = Buffer.alloc(0);
        const onData = (bytes: Buffer): void => {
          received = Buffer.concat([received, bytes]);
          const read = readStun(isFramed ? unframed(received) : received);
          if (read) settle.resolve(read);
          else if (received.byteLength > MAX_BYTES) settle.reject(new Error('answers with something else'));
        };
        const onEnd = (): void => settle.reject(new Error('closed the connection'));
        socket.on('data', onData).on('error', settle.reject).on('close', onEnd);
        socket.write(isFramed ? framed(message) : message);
        return () => socket.off('data', onData).off('error', settle.reject).off('close', onEnd);
      }),
    [Symbol.asyncDispose]: () => closed(socket),
  };
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.byteLength);
  return Buffer.concat([length, message]);
}

function unframed(received: Buffer): Buffer {
  return received.byteLength < 2 ? received : received.subarray(2, 2 + received.readUInt16BE(0));
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    socket.once('close', () => resolve());
    socket.on('error', () => undefined).destroy();
  });
}

interface Settle<T> {
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

/** `begin` gives what clears up after it. */
async function answer<T>(begin: (settle: Settle<T>) => () => unknown, limitMs = ANSWER_LIMIT_MS): Promise<T> {
  const settled = Promise.withResolvers<T>();
  const end = begin(settled);
  const limit = setTimeout(() => settled.reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  try {
    return await settled.promise;
  } finally {
    clearTimeout(limit);
    end();
  }
}
