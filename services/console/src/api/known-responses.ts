const MAX_KNOWN = 32;

/**
 * A `fetch` for polling: it keeps the newest responses that have an entity tag in memory and asks the server whether they
 * are still current. The browser's own cache stores none of them (`Cache-Control: no-store`).
 */
export class KnownResponses {
  /** Responses by URL, the least recently used first. */
  readonly #known = new Map<string, { tag: string; text: string }>();

  readonly fetch = async (request: Request): Promise<Response> => {
    if (request.method !== 'GET') return fetch(request);
    const known = this.#known.get(request.url);
    if (known) request.headers.set('If-None-Match', known.tag);
    const response = await fetch(request);
    if (known && response.status === 304) {
      this.#store(request.url, known);
      return new Response(known.text, { headers: response.headers });
    }
    const tag = response.headers.get('ETag');
    if (response.status === 200 && tag !== null && isJson(response)) {
      this.#store(request.url, { tag, text: await response.clone().text() });
    }
    return response;
  };

  /** Removes the data of the previous account. */
  clear(): void {
    this.#known.clear();
  }

  #store(url: string, response: { tag: string; text: string }): void {
    this.#known.delete(url);
    this.#known.set(url, response);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

function isJson(response: Response): boolean {
  return response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
}
