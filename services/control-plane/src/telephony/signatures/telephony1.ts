import { createHash, createHmac } from 'node:crypto';
import { isSame, sortedParameters, type Signature, type SignedRequest } from './signature.ts';

/**
 * HMAC-SHA1 over the URL and the form's parameters in order. The provider isn't of one mind on whether the URL has its
 * standard port. A body that is no form is named in the URL by its hash.
 */
export const telephony1Signature: Signature = {
  header: 'x-twilio-signature',
  fits(request, { authToken = '' }) {
    const given = request.header(this.header) ?? '';
    if (!request.form && !isHashInUrl(request)) return false;
    const parameters = sortedParameters(request.form ?? new URLSearchParams())
      .flatMap(([name, values]) => [...new Set(values)].map((value) => `${name}${value}`))
      .join('');
    return [request.url, withPort(request.url)].some((url) =>
      isSame(createHmac('sha1', authToken).update(`${url}${parameters}`).digest('base64'), given),
    );
  },
};

function isHashInUrl({ url, body }: SignedRequest): boolean {
  const given = new URL(url).searchParams.get('bodySHA256') ?? '';
  return isSame(createHash('sha256').update(body).digest('hex'), given);
}

function withPort(text: string): string {
  const { port, protocol, host } = new URL(text);
  return port === '' ? text.replace(host, `${host}:${protocol === 'https:' ? 443 : 80}`) : text;
}
