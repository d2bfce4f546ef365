import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A server that counts its connections. */
export class Target implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  connections = 0;
  maxOpen = 0;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      this.maxOpen = Math.max(this.maxOpen, this.open);
      // A socket that is not read does not emit `end`.
      socket.resume();
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static http(handler: RequestListener): Target {
    return new Target(createHttpServer(handler));
  }

  /** A server with a handler that controls the raw socket. */
  static raw(handler: (socket: Socket) => void): Target {
    return new Target(createServer(handler));
  }

  async listen(host = '127.0.0.1', port = 0): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    return this;
  }

  /** Currently open sockets. */
  get open(): number {
    return this.#sockets.size;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/', host = '127.0.0.1'): string {
    return `http://${host}:${this.port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
