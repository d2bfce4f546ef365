import { connect, type Socket } from 'node:net';

/** A TCP connection on which anything can be said: for clients that keep to no protocol. */
export class RawConnection implements Disposable {
  /** All that came so far, a character for each byte. */
  received = '';
  /** Resolves when the other side has closed. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #dripping: NodeJS.Timeout | undefined;

  static open(port: number, host = '127.0.0.1'): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host, () => resolve(new RawConnection(socket)));
      socket.once('error', reject);
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    // A reset is an end too.
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

  /** Says it again and again, until the connection ends. */
  drip(text: string, everyMs = 20): this {
    this.#dripping = setInterval(() => this.#socket.write(text), everyMs);
    return this;
  }

  /** The status of the first answer, once the other side has closed; null where it gave none. */
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
