import { OutboundError, OutboundRefusal } from './outbound-error.ts';

export type OutboundMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
export type OutboundHeaders = Readonly<Record<string, string>>;

/** One request of a redirect chain. */
export interface Hop {
  url: URL;
  method: OutboundMethod;
  headers: OutboundHeaders;
  body: Uint8Array | string | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The only headers that are sent to another origin, because any other may authenticate. */
const FOR_OTHER_ORIGINS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

export function isRedirect(status: number, location: string | undefined): location is string {
  return location !== undefined && REDIRECTS.has(status);
}

/**
 * The request that a redirect leads to, as in browsers: 303, and 301 or 302 after a POST, become GET without a body.
 * The caller must check the new URL. Throws an OutboundRefusal for a redirect from https to http.
 */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  if (!URL.canParse(location, hop.url.href)) {
    throw new OutboundError('outbound_failed', 'a redirect leads to a malformed URL', { retryable: false });
  }
  const url = new URL(location, hop.url);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') throw new OutboundRefusal('downgrade');
  const becomesGet =
    (status === 303 && hop.method !== 'HEAD') ||
    (hop.method === 'POST' && (status === 301 || status === 302));
  const forwarded = Object.entries(hop.headers).filter(([name]) => {
    const lower = name.toLowerCase();
    if (becomesGet && lower.startsWith('content-')) return false;
    return url.origin === hop.url.origin || FOR_OTHER_ORIGINS.has(lower);
  });
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(forwarded),
    body: becomesGet ? undefined : hop.body,
  };
}
