import { createSocket, type Socket, type SocketOptions } from 'node:dgram';
import { once } from 'node:events';
import type { RtpAddress } from './rtp-address.ts';

/** Packets arrive in bursts when the process was busy. */
const RECEIVE_BUFFER_BYTES = 256 * 1024;

/** Addresses are numeric, so nothing is looked up. */
const asItIs: SocketOptions['lookup'] = (address, _options, done) => done(null, address, 4);

/** One UDP port. */
export class RtpPort {
  readonly port: number;
  /** Called for each packet; without it, packets are dropped. The receiver owns the bytes. */
  onPacket: ((bytes: Buffer, from: RtpAddress) => void) | null = null;
  readonly #socket: Socket;
  readonly #onClosed: () => void;
  #isClosed = false;

  private constructor(socket: Socket, onClosed: () => void) {
    this.#socket = socket;
    this.#onClosed = onClosed;
    this.port = socket.address().port;
    socket.on('message', (bytes, { address, port }) => this.onPacket?.(bytes, { address, port }));
    // Packets that cannot be sent are lost, as in the network.
    socket.on('error', () => undefined);
  }

  /** Rejects with the system error. `port` 0 uses a free port. */
  static async open(host: string, port: number, onClosed: () => void): Promise<RtpPort> {
    const socket = createSocket({ type: 'udp4', lookup: asItIs, recvBufferSize: RECEIVE_BUFFER_BYTES });
    try {
      const listening = once(socket, 'listening');
      socket.bind({ address: host, port, exclusive: true });
      await listening;
    } catch (thrown) {
      socket.close();
      throw thrown;
    }
    return new RtpPort(socket, onClosed);
  }

  /** The socket owns `packet` from now on. */
  send(packet: Buffer, { address, port }: RtpAddress): void {
    if (!this.#isClosed) this.#socket.send(packet, port, address, () => undefined);
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onPacket = null;
    this.#socket.close(this.#onClosed);
  }
}
