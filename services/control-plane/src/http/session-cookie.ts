import type { Request, Response } from 'express';

/** Only pages of this origin can set it: `/api` does not allow it in CORS. */
const CONSOLE_HEADER = 'X-Console';

/** Set by the browser on https and on localhost; pages cannot set it. */
const SITE_HEADER = 'Sec-Fetch-Site';

/**
 * The cookie that holds the console's session. Accepted on requests with the header `X-Console: 1`, which
 * other sites cannot make a browser send, and on read requests that the browser marks as same-origin, because
 * players and links cannot set the header.
 */
export class SessionCookie {
  readonly #name: string;
  readonly #isSecure: boolean;

  /** With https, the cookie is restricted to the host and never sent unencrypted. */
  constructor(publicUrl: string) {
    this.#isSecure = publicUrl.startsWith('https:');
    this.#name = this.#isSecure ? '__Host-calls_console' : 'calls_console';
  }

  /** Undefined if there is no acceptable cookie. */
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
