import type { Request, Response } from 'express';

/** Only a page of this origin can set it on a request: `/api` gives no other leave to. */
const CONSOLE_HEADER = 'X-Console';

/** Set by browsers themselves, over https and on localhost: no page can make it up. */
const SITE_HEADER = 'Sec-Fetch-Site';

/**
 * The cookie in which a browser keeps the console's session. It counts only on requests that carry the header
 * `X-Console: 1`, which no other site can make a browser send; and on those that only read and of which the browser itself
 * says that a page of this origin makes them: players and links can't carry the other.
 */
export class SessionCookie {
  readonly #name: string;
  readonly #isSecure: boolean;

  /** Behind https the cookie is for that host alone, and never sent in the clear. */
  constructor(publicUrl: string) {
    this.#isSecure = publicUrl.startsWith('https:');
    this.#name = this.#isSecure ? '__Host-calls_console' : 'calls_console';
  }

  /** Undefined where there is none that counts. */
  read(request: Request): string | undefined {
    if (request.get(CONSOLE_HEADER) !== '1' && !isOwnReading(request)) return undefined;
    const prefix = `${this.#name}=`;
    const found = (request.headers.cookie ?? '').split(/;\s*/u).find((part) => part.startsWith(prefix));
    return found?.slice(prefix.length);
  }

  set(response: Response, sealed: string, lifetimeMs: number): void {
    response.cookie(this.#name, sealed, { ...this.#attributes(), maxAge: lifetimeMs, encode: String });
  }

  clear(response: Response): void {
    response.clearCookie(this.#name, this.#attributes());
  }

  #attributes() {
    return { httpOnly: true, sameSite: 'strict', secure: this.#isSecure, path: '/' } as const;
  }
}

function isOwnReading(request: Request): boolean {
  return (
    (request.method === 'GET' || request.method === 'HEAD') && request.get(SITE_HEADER) === 'same-origin'
  );
}
