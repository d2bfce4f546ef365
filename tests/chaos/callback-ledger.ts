import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer } from '@calls/foundation/listen';
import type { Call } from '@calls/api-contract/rest/call';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';

export interface Delivery {
  callId: string;
  event: string;
  deliveryId: string;
  isAcknowledged: boolean;
  endReason: string | null;
  billingStatus: string;
}

/** A customer's server that records every callback and refuses some first attempts. */
export class CallbackLedger implements AsyncDisposable {
  readonly url: string;
  readonly deliveries: Delivery[] = [];
  readonly #server: Server;
  readonly #isRefused: () => boolean;

  static async start(isRefused: () => boolean): Promise<CallbackLedger> {
    const server = createServer();
    return new CallbackLedger(server, await listenOnLoopback(server), isRefused);
  }

  private constructor(server: Server, port: number, isRefused: () => boolean) {
    this.#server = server;
    this.#isRefused = isRefused;
    this.url = `http://127.0.0.1:${port}/callbacks`;
    server.on('request', (request, response) => {
      // A sender that stops during its request has delivered nothing.
      this.#take(request, response).catch(() => response.destroy());
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { event, call } = JSON.parse(await text(request)) as { event: string; call: Call };
    const isAcknowledged = !this.#isRefused();
    this.deliveries.push({
      callId: call.callId,
      event,
      deliveryId: String(request.headers['x-svc-delivery-id']),
      isAcknowledged,
      endReason: call.endReason,
      billingStatus: call.billingStatus,
    });
    response.writeHead(isAcknowledged ? 204 : 500).end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return closeServer(this.#server);
  }
}
