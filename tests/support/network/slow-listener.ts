import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { eventually } from '../eventually.ts';

const SERVER = fileURLToPath(new URL('slow-server.ts', import.meta.url));
/** Connections that Linux accepts for a program with the backlog 1; it drops the first packet of any other. */
const ACCEPTED = 2;

/**
 * A web server at 127.0.0.1 to which the next connection takes about a second, the time after which a lost packet is sent
 * again.
 */
export class SlowListener implements AsyncDisposable {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #filling: readonly Socket[];

  static async start(): Promise<SlowListener> {
    const child = fork(SERVER);
    const [port] = (await once(child, 'message')) as [number];
    child.kill('SIGSTOP');
    const filling: Socket[] = [];
    for (let i = 0; i < ACCEPTED; i += 1) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      filling.push(socket);
      await once(socket, 'connect');
    }
    return new SlowListener(port, child, filling);
  }

  private constructor(port: number, child: ChildProcess, filling: readonly Socket[]) {
    this.port = port;
    this.#child = child;
    this.#filling = filling;
  }

  /** Resolves when a connection has begun, whose first packet is then lost. */
  async loseFirstPacket(): Promise<void> {
    const remote = `:${this.port.toString(16).padStart(4, '0').toUpperCase()}`;
    const SYN_SENT = '02';
    await eventually(async () => {
      const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.split(/\s+/u));
      const isOpening = lines.some((fields) => fields[3]?.endsWith(remote) && fields[4] === SYN_SENT);
      if (!isOpening) throw new Error('no connection has begun');
    });
    this.#child.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#filling) socket.destroy();
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
