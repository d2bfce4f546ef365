import { createServer, type RequestListener, type Server } from 'node:http';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';

export interface SitePage {
  status?: number;
  type?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** Delay before the response. */
  delayMs?: number;
}

/** A local web site that records requests. */
export class TestSite implements AsyncDisposable {
  readonly origin: string;
  /** Paths in the order of the requests. */
  readonly requests: string[] = [];
  readonly userAgents = new Set<string | undefined>();
  /** Pages by path. They can be changed while the site runs. */
  readonly pages: Map<string, SitePage>;
  readonly #server: Server;
  /** Paths without a response, with the promise that ends each wait. */
  readonly #held = new Map<string, Promise<void>>();

  static async start(pages: Record<string, SitePage | string>): Promise<TestSite> {
    const server = createServer();
    return new TestSite(server, await listenOnLoopback(server), pages);
  }

  private constructor(server: Server, port: number, pages: Record<string, SitePage | string>) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${port}`;
    this.pages = new Map(
      Object.entries(pages).map(([path, page]) => [path, typeof page === 'string' ? { body: page } : page]),
    );
    server.on('request', this.#answer);
  }

  url(path: string): string {
    return `${this.origin}${path}`;
  }

  /** Requested pages so far, without robots.txt. */
  get visited(): string[] {
    return this.requests.filter((path) => path !== '/robots.txt');
  }

  /** Delays the responses for this path until the returned function is called. */
  hold(path: string): () => void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#held.set(path, promise);
    return () => resolve(undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return closeServer(this.#server);
  }

  #answer: RequestListener = (request, response) => {
    const path = request.url ?? '';
    this.requests.push(path);
    this.userAgents.add(request.headers['user-agent']);
    const page = this.pages.get(path) ?? { status: 404, body: 'not here' };
    const { status = 200, type = 'text/html; charset=utf-8', body = '', headers = {}, delayMs = 0 } = page;
    const answer = (): void =>
      void response.writeHead(status, { 'Content-Type': type, ...headers }).end(body);
    const held = this.#held.get(path);
    if (held) {
      void held.then(answer);
      return;
    }
    const timer = setTimeout(answer, delayMs);
    response.once('close', () => clearTimeout(timer));
  };
}

/** A page with a title, a paragraph and links. */
export function htmlPage(title: string, text: string, ...links: string[]): string {
  const anchors = links.map((href) => `<a href="${href}">more</a>`).join(' ');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><nav>${anchors}</nav><main><h1>${title}</h1><p>${text}</p></main></body></html>`;
}
