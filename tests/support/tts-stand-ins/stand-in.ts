import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import type { Settings } from './behaviour.ts';
import type { RequestLog, SeenRequest } from './request-log.ts';

/** Dependencies that the stand-ins of a process share. */
export interface StandInDeps {
  /** The required API key. */
  apiKey: string;
  settings: () => Settings;
  log: RequestLog;
}

/** A POST endpoint of a provider API. */
export interface HttpStandIn {
  provider: string;
  path: RegExp;
  /** Undefined if the request is accepted. */
  refusal(request: IncomingMessage, deps: StandInDeps): { status: number; body: object } | undefined;
  serve(exchange: HttpExchange, deps: StandInDeps): Promise<void>;
}

/** A WebSocket endpoint of a provider API. */
export interface SocketStandIn {
  provider: string;
  path: RegExp;
  refusal(request: IncomingMessage, deps: StandInDeps): { status: number; body: object } | undefined;
  serve(socket: WebSocket, request: IncomingMessage, deps: StandInDeps): void;
}

export class HttpExchange {
  readonly url: URL;
  readonly body: unknown;
  readonly seen: SeenRequest;
  readonly response: ServerResponse;
  readonly left: AbortSignal;

  constructor(url: URL, body: unknown, seen: SeenRequest, response: ServerResponse) {
    const left = new AbortController();
    this.url = url;
    this.body = body;
    this.seen = seen;
    this.response = response;
    this.left = left.signal;
    response.on('close', () => left.abort());
  }

  head(contentType: string): void {
    if (this.response.headersSent) return;
    this.response.writeHead(200, { 'content-type': contentType });
    this.response.flushHeaders();
  }

  json(status: number, body: object): void {
    this.response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  /** Splits bytes at positions that are not boundaries of samples or lines. */
  write(bytes: Buffer | string): void {
    const all = Buffer.from(bytes);
    const middle = Math.floor(all.length / 2) | 1;
    this.response.write(all.subarray(0, middle));
    this.response.write(all.subarray(middle));
  }

  cut(): void {
    setImmediate(() => this.response.socket?.destroy());
  }
}

/** Whether the value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
