import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';

export interface RestRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * `status` with `body` as JSON, or unchanged if it is a string; `breaks`: the connection is closed without a response;
 * `never`: no response.
 */
export type RestResponse = { status: number; body?: unknown } | 'breaks' | 'never';

/**
 * A stand-in for the REST API of a telephony provider. Records requests and sends `answers` in order, each once it is
 * known.
 */
export class TelephonyRestApi implements AsyncDisposable {
  readonly url: string;
  readonly requests: RestRequest[] = [];
  readonly answers: (RestResponse | Promise<RestResponse>)[] = [];
  readonly #server: Server;

  static async start(): Promise<TelephonyRestApi> {
    const server = createServer();
    return new TelephonyRestApi(server, await listenOnLoopback(server));
  }

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
    server.on('request', (request, response) => {
      void text(request).then(async (body) => {
        const { method = '', url: path = '', headers } = request;
        this.requests.push({ method, path, headers, body });
        const answer = (await this.answers.shift()) ?? { status: 201, body: {} };
        if (answer === 'breaks') request.socket.destroy();
        if (typeof answer === 'string') return;
        const content = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(content);
      });
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return closeServer(this.#server);
  }
}
