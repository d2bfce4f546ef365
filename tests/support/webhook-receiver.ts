import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import { checkWebhookBody } from './contract/read-published.ts';

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  /** Raw request body. */
  body: string;
  atMs: number;
}

/**
 * A customer webhook server that records requests and checks their bodies. It responds with its configured statuses,
 * then with `lastStatus`.
 */
export class WebhookReceiver implements AsyncDisposable {
  readonly url: string;
  readonly received: ReceivedWebhook[] = [];
  lastStatus = 204;
  /** Delay before each response. */
  answerAfterMs = 0;
  readonly #server: Server;

  static async start(...statuses: number[]): Promise<WebhookReceiver> {
    const server = createServer();
    return new WebhookReceiver(server, await listenOnLoopback(server), statuses);
  }

  private constructor(server: Server, port: number, statuses: number[]) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}/hook`;
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        checkWebhookBody(body);
        this.received.push({ headers: request.headers, body, atMs: Date.now() });
        const answer = (): unknown => response.writeHead(statuses.shift() ?? this.lastStatus).end();
        if (this.answerAfterMs === 0) answer();
        else setTimeout(answer, this.answerAfterMs).unref();
      });
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return closeServer(this.#server);
  }
}

/** Whether the request is signed with these secrets in this order. */
export function isSignedWith(secrets: readonly string[], { headers, body }: ReceivedWebhook): boolean {
  const timestamp = String(headers['x-svc-webhook-timestamp']);
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${body}${timestamp}`).digest('hex'),
  );
  return headers['x-svc-webhook-signature'] === expected.join(',');
}
