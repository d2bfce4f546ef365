import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '../eventually.ts';

/** An event of a baresip call. Only the fields that tests use. */
export interface PhoneEvent {
  /** CALL_INCOMING, CALL_ESTABLISHED, CALL_CLOSED ... */
  type: string;
  param: string;
}

/** Client of baresip's TCP control interface (module ctrl_tcp): JSON in netstrings. */
export class ControlLink {
  readonly events: PhoneEvent[] = [];
  readonly #socket: Socket;
  readonly #waiting = new Map<string, (data: string) => void>();
  #received = Buffer.alloc(0);
  #asked = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#read();
    });
    socket.on('error', () => undefined);
  }

  /** Connects to a port of this machine or a socket path as soon as it accepts connections. */
  static connect(target: number | string): Promise<ControlLink> {
    return eventually(async () => {
      const socket = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1');
      const closed = once(socket, 'close').then(() =>
        Promise.reject(new Error('the control connection of the phone is closed')),
      );
      await Promise.race([once(socket, 'connect'), closed]);
      const link = new ControlLink(socket);
      // A forwarder may accept the connection before the phone does.
      await Promise.race([link.command('listcalls'), closed]);
      return link;
    });
  }

  /** Resolves with the response to the command. */
  async command(command: string, params = ''): Promise<string> {
    this.#asked += 1;
    const token = String(this.#asked);
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#waiting.set(token, resolve);
    const text = JSON.stringify({ command, params, token });
    this.#socket.write(`${Buffer.byteLength(text)}:${text},`);
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(): void {
    for (;;) {
      const colon = this.#received.indexOf(':');
      if (colon < 0) return;
      const end = colon + 1 + Number(this.#received.toString('ascii', 0, colon));
      if (this.#received.length <= end) return;
      const text = this.#received.toString('utf8', colon + 1, end);
      this.#received = this.#received.subarray(end + 1);
      this.#take(JSON.parse(text) as Record<string, unknown>);
    }
  }

  #take(message: Record<string, unknown>): void {
    const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
    if (message['event'] === true) {
      this.events.push({ type: textOf(message['type']), param: textOf(message['param']) });
      return;
    }
    const token = textOf(message['token']);
    this.#waiting.get(token)?.(textOf(message['data']));
    this.#waiting.delete(token);
  }
}
