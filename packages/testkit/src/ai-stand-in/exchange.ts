import { setTimeout as after } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestLog, RequestSummary } from './request-log.ts';

/** An invalid request; results in status 400. */
export class BadRequest extends Error {}

const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** One request and its response, which stops when the client disconnects. */
export class ServedExchange {
  readonly body: Buffer;
  readonly request: IncomingMessage;
  readonly summary: RequestSummary;
  readonly #response: ServerResponse;
  readonly #log: RequestLog;
  readonly #left = new AbortController();

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    log: RequestLog,
    summary: RequestSummary,
  ) {
    this.request = request;
    this.body = body;
    this.summary = summary;
    this.#response = response;
    this.#log = log;
    response.on('close', () => {
      log.end(summary, response.writableFinished ? 'answered' : 'aborted');
      this.#left.abort();
    });
  }

  /** Rejects when the client disconnects. */
  async wait(delayMs: number): Promise<void> {
    this.#left.signal.throwIfAborted();
    if (delayMs > 0) await after(delayMs, undefined, { signal: this.#left.signal });
  }

  head(status: number, contentType: string): void {
    this.#response.writeHead(status, { 'content-type': contentType });
    // Sends the headers immediately, as streaming servers do: they are not the beginning of the response.
    this.#response.flushHeaders();
  }

  write(bytes: Buffer | string): void {
    this.summary.sentBytes += Buffer.byteLength(bytes);
    this.#response.write(bytes);
  }

  end(): void {
    this.#response.end();
  }

  json(status: number, body: unknown): void {
    const text = JSON.stringify(body);
    this.summary.sentBytes += Buffer.byteLength(text);
    this.#response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  }

  /** Ends the response as the behaviour requires. */
  breakConnection(): void {
    this.#log.end(this.summary, 'failed');
    // Flushes what was written, so that the client receives the part before the cut.
    setImmediate(() => this.#response.socket?.destroySoon());
  }

  /** Sends nothing more; resolves when the client disconnects. */
  async hold(): Promise<void> {
    if (this.#left.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#left.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new BadRequest('the body is too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new BadRequest('the body is not JSON');
  }
}
