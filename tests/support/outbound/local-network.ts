import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { findFreePorts } from '@calls/local-stack/free-port';

/** Address of the customer server: the only address of this machine to which requests are allowed. */
export const CUSTOMER_HOST = '127.0.0.2';
/** Other addresses of this machine, which simulate a private network. */
const PRIVATE_HOSTS = ['127.0.0.1', '127.0.0.3', '::1'];

/**
 * A customer server, and canary servers on the same port of the private addresses that record connections. They differ
 * only in the address.
 */
export class LocalNetwork implements AsyncDisposable {
  readonly port: number;
  /** Requests to the customer server, as `host path`. */
  readonly asked: string[] = [];
  /** First data of each connection to a private address. */
  readonly intrusions: string[] = [];
  readonly #servers: Server[] = [];

  /** `handler` responds for the customer server. */
  static async open(handler: RequestListener): Promise<LocalNetwork> {
    const network = new LocalNetwork(await findFreePorts(1));
    const own = createServer((request, response) => {
      network.#note(request);
      response.setHeader('connection', 'close');
      handler(request, response);
    });
    own.on('upgrade', (request, socket) => {
      network.#note(request);
      socket.on('error', () => undefined);
      socket.end(
        `HTTP/1.1 302 Found\r\nlocation: ws://127.0.0.1:${network.port}/\r\nconnection: close\r\n\r\n`,
      );
    });
    await network.#listen(own, CUSTOMER_HOST);
    for (const host of PRIVATE_HOSTS) {
      const canary = createServer((_request, response) => response.end('canary'));
      canary.on('connection', (socket: Socket) => {
        const nth = network.intrusions.push('nothing') - 1;
        socket.once('data', (data) => (network.intrusions[nth] = data.toString('latin1')));
      });
      await network.#listen(canary, host);
    }
    return network;
  }

  private constructor(port: number) {
    this.port = port;
  }

  url(host: string, path = '/'): string {
    return `http://${host}:${this.port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(closed);
  }

  #note({ headers, url }: IncomingMessage): void {
    this.asked.push(`${headers.host?.replace(/:\d+$/u, '') ?? ''} ${url ?? ''}`);
  }

  #listen(server: Server, host: string): Promise<void> {
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, host, resolve);
    });
  }
}
