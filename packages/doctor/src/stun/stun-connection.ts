import { createSocket } from 'node:dgram';
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { readStun, splitStun, type StunMessage } from './stun-message.ts';

export interface StunServer {
  protocol: 'udp' | 'tcp' | 'tls';
  host: string;
  port: number;
  /** Whether messages over TCP have a length prefix (RFC 4571): true for ICE, false for TURN. */
  isFramed: boolean;
}

/** Sends STUN messages to one server and returns its responses. */
export interface StunConnection extends AsyncDisposable {
  /**
   * Resolves to the response; rejects on timeout or if the connection is refused. One request at a time. `isAnswer`
   * default: compares the transaction id.
   */
  request(message: Buffer, isResponse?: (message: StunMessage) => boolean): Promise<StunMessage>;
}

const CONNECT_LIMIT_MS = 3000;
/** RFC 8489, section 6.2.1: the first message may be lost. */
const RESEND_AFTER_MS = [500, 1000, 2000] as const;
const RESPONSE_LIMIT_MS = 3000;
const MAX_BYTES = 64 * 1024;

export function connectStun(server: StunServer): Promise<StunConnection> {
  return server.protocol === 'udp' ? connectUdp(server) : connectTcp(server);
}

async function connectUdp({ host, port }: StunServer): Promise<StunConnection> {
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    // Reports an unknown name or an unreachable network.
    socket.connect(port, host, (error?: Error) => (error ? reject(error) : resolve()));
  }).catch((thrown: unknown) => {
    socket.close();
    throw thrown;
  });
  const line = new Line({
    send: (message) => socket.send(message),
    resendAfterMs: RESEND_AFTER_MS,
    close: () => new Promise((resolve) => void socket.close(() => resolve())),
  });
  socket.removeAllListeners('error').on('error', (error) => line.fail(error));
  socket.on('message', (bytes: Buffer) => line.hear(readStun(bytes)));
  return line;
}

async function connectTcp({ protocol, host, port, isFramed }: StunServer): Promise<StunConnection> {
  const socket =
    protocol === 'tls'
      ? connectSecure({ host, port, ...(isIP(host) === 0 && { servername: host }) })
      : connectPlain({ host, port });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const connected = Promise.withResolvers<null>();
  const line = new Line({
    send: (message) => socket.write(isFramed ? framed(message) : message),
    resendAfterMs: [],
    close: () => {
      socket.destroy();
      return closed;
    },
  });
  let received: Buffer = Buffer.alloc(0);
  socket.once(protocol === 'tls' ? 'secureConnect' : 'connect', () => connected.resolve(null));
  socket.on('error', (error: Error) => {
    connected.reject(error);
    line.fail(error);
  });
  socket.on('close', () => line.fail(new Error('closed the connection')));
  socket.on('data', (bytes) => {
    const { messages, rest } = splitStun(Buffer.concat([received, bytes]), isFramed ? 2 : 0);
    received = rest;
    for (const message of messages) line.hear(message);
    if (rest.byteLength > MAX_BYTES) socket.destroy(new Error('the response is not a STUN message'));
  });
  try {
    await within(connected.promise, CONNECT_LIMIT_MS, 'no connection');
  } catch (thrown) {
    await line[Symbol.asyncDispose]();
    throw thrown;
  }
  return line;
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.byteLength);
  return Buffer.concat([length, message]);
}

interface Wire {
  send: (message: Buffer) => void;
  /** Resend times, for transports that lose messages. */
  resendAfterMs: readonly number[];
  close: () => Promise<void>;
}

class Line implements StunConnection {
  readonly #wire: Wire;
  #question: (PromiseWithResolvers<StunMessage> & { isAnswer: (message: StunMessage) => boolean }) | null =
    null;
  /** The reason why the connection is no longer usable. */
  #error: Error | null = null;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async request(
    message: Buffer,
    isAnswer = ({ transactionId }: StunMessage): boolean => transactionId.equals(message.subarray(8, 20)),
  ): Promise<StunMessage> {
    if (this.#error) throw this.#error;
    const question = { ...Promise.withResolvers<StunMessage>(), isAnswer };
    this.#question = question;
    const send = (): void => this.#wire.send(message);
    send();
    const timers = this.#wire.resendAfterMs.map((afterMs) => setTimeout(send, afterMs));
    try {
      return await within(question.promise, RESPONSE_LIMIT_MS, 'no response');
    } finally {
      for (const timer of timers) clearTimeout(timer);
      this.#question = null;
    }
  }

  hear(message: StunMessage | null): void {
    if (message && this.#question?.isAnswer(message)) this.#question.resolve(message);
  }

  fail(error: Error): void {
    this.#error ??= error;
    this.#question?.reject(error);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#wire.close();
  }
}

async function within<T>(promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error(`${what} within ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([promise, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
