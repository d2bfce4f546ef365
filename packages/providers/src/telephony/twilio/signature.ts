import { createHash, createHmac } from 'node:crypto';
import { parse, stringify } from 'node:querystring';
import { isSame, sortedParameters, type Signature, type SignedRequest } from '../signature.ts';

const HEADER = 'x-twilio-signature';

/**
 * HMAC-SHA1 over the URL and the sorted form parameters. For other bodies, the URL contains a hash of the body. Accepts
 * the URL spellings that the provider's own libraries accept.
 */
export const twilioSignature: Signature = {
  headers: [HEADER],
  fits(request, { authToken = '' }) {
    const given = request.header(HEADER) ?? '';
    if (!request.form && !isHashInUrl(request)) return false;
    const parameters = sortedParameters(request.form ?? new URLSearchParams())
      .flatMap(([name, values]) => [...new Set(values)].map((value) => `${name}${value}`))
      .join('');
    return spellingsOf(request.url).some((url) =>
      isSame(createHmac('sha1', authToken).update(`${url}${parameters}`).digest('base64'), given),
    );
  },
};

function isHashInUrl({ url, body }: SignedRequest): boolean {
  const given = new URL(url).searchParams.get('bodySHA256') ?? '';
  return isSame(createHash('sha256').update(body).digest('hex'), given);
}

/**
 * The original URL, the normalized URL, and the URL with its query in an older encoding; each with and without a port.
 */
function spellingsOf(url: string): string[] {
  const normalized = new URL(url).href;
  return [
    ...new Set(
      [url, normalized, withEncodedQuery(normalized)].flatMap((each) => [withoutPort(each), withPort(each)]),
    ),
  ];
}

const ORIGIN = /^(?<scheme>[a-z]+:\/\/)(?<host>\[[^\]]*\]|[^/?#:]*)(?<port>:\d*)?/iu;

function withoutPort(url: string): string {
  return url.replace(ORIGIN, '$<scheme>$<host>');
}

/** Does not change a URL that has a port. */
function withPort(url: string): string {
  const { scheme = '', port } = ORIGIN.exec(url)?.groups ?? {};
  if (port !== undefined) return url;
  return url.replace(ORIGIN, `$<scheme>$<host>:${scheme.toLowerCase() === 'https://' ? 443 : 80}`);
}

function withEncodedQuery(url: string): string {
  const start = url.indexOf('?') + 1;
  return start === 0 || start === url.length
    ? url
    : `${url.slice(0, start)}${stringify(parse(url.slice(start)))}`;
}
