import { connect, type Socket } from 'node:net';

/** A raw TCP connection, for clients that violate the protocol. */
export class RawConnection implements Disposable {
  /** All received data, one character per byte. */
  received = '';
  /** Resolves when the remote end has closed. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #dripping: NodeJS.Timeout | undefined;

  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new RawConnection(socket)));
      socket.once('error', reject);
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    // A reset counts as closed.
    socket.on('error', () => undefined);
    socket.on('data', (data) => (this.received += data.toString('latin1')));
    this.closed = new Promise((resolve) => {
      const end = (): void => {
        clearInterval(this.#dripping);
        resolve();
      };
      socket.once('end', end);
      socket.once('close', end);
    });
  }

  say(text: string | Uint8Array): this {
    this.#socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
    return this;
  }

  /** Sends the data repeatedly until the connection ends. */
  drip(text: string): this {
    this.#dripping = setInterval(() => this.#socket.write(text), 20);
    return this;
  }

  /** Status of the first response once the remote end has closed; null if there was none. */
  async statusAtEnd(): Promise<number | null> {
    await this.closed;
    const [, status] = /^HTTP\/1\.1 (\d{3}) /u.exec(this.received) ?? [];
    return status === undefined ? null : Number(status);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#dripping);
    this.#socket.destroy();
  }
}
