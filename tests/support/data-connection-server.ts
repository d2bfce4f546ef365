import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { closeServer } from '@calls/foundation/listen';
import { WebSocket, WebSocketServer } from 'ws';
import { readServerMessage } from './contract/read-published.ts';
import { checkCallSignature, type SignatureVerdict } from './call-signature.ts';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';

/** The server side of the data connection of a call. */
export class AcceptedConnection {
  readonly headers: IncomingHttpHeaders;
  readonly signature: SignatureVerdict;
  readonly messages: ServerMessage[] = [];
  readonly socket: WebSocket;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  /** The connection under the WebSocket. */
  readonly stream: Duplex;
  readonly #audio: Buffer[] = [];

  constructor(socket: WebSocket, stream: Duplex, headers: IncomingHttpHeaders, secrets: readonly string[]) {
    this.socket = socket;
    this.stream = stream;
    this.headers = headers;
    this.signature = checkCallSignature(headers, secrets);
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#audio.push(data);
      else this.messages.push(readServerMessage(data.toString()));
    });
    this.closed = once(socket, 'close').then(([code]) => Number(code));
  }

  /** All received audio, in order. */
  get audio(): Buffer {
    return Buffer.concat(this.#audio);
  }

  say(message: object): void {
    this.socket.send(JSON.stringify(message));
  }
}

/** A customer server for data connections. */
export class DataConnectionServer implements AsyncDisposable {
  readonly url: string;
  readonly connections: AcceptedConnection[] = [];
  /** Number of handshakes, including those without a response. */
  attempts = 0;
  /** Response to handshakes: accept, reject with this status, or no response. */
  handshake: 'open' | 'ignore' | number = 'open';
  readonly #server: Server;
  /** The HTTP server does not track connections that request an upgrade. */
  readonly #streams = new Set<Duplex>();

  static async start(secrets: readonly string[] = []): Promise<DataConnectionServer> {
    const server = createServer();
    return new DataConnectionServer(server, await listenOnLoopback(server), secrets);
  }

  private constructor(server: Server, port: number, secrets: readonly string[]) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${port}/call?from=test`;
    const sockets = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => undefined);
      this.#streams.add(socket);
      this.attempts += 1;
      if (this.handshake === 'open') {
        sockets.handleUpgrade(request, socket, head, (opened) => {
          opened.on('error', () => undefined);
          this.connections.push(new AcceptedConnection(opened, socket, request.headers, secrets));
        });
      } else if (typeof this.handshake === 'number') {
        socket.end(`HTTP/1.1 ${this.handshake} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      }
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.#streams) stream.destroy();
    return closeServer(this.#server);
  }
}
