import { createHmac } from 'node:crypto';
import { isSame, sortedParameters, type Signature } from './signature.ts';

/** HMAC-SHA256 over the URL, its query in order, the form's parameters in order, and a nonce. */
export const telephony3Signature: Signature = {
  header: 'x-plivo-signature-v3',
  fits(request, { authToken = '' }) {
    const nonce = request.header('x-plivo-signature-v3-nonce') ?? '';
    if (!request.form || nonce === '') return false;
    const expected = createHmac('sha256', authToken)
      .update(`${signedText(request.url, request.form)}.${nonce}`)
      .digest('base64');
    // One for each of the account's tokens while they are changed.
    const given = (request.header(this.header) ?? '').split(',');
    return given.map((signature) => isSame(expected, signature.trim())).includes(true);
  },
};

function signedText(text: string, form: URLSearchParams): string {
  const { protocol, host, pathname, searchParams } = new URL(text);
  const query = sortedParameters(searchParams)
    .flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
    .join('&');
  const parameters = sortedParameters(form)
    .flatMap(([name, values]) => values.map((value) => `${name}${value}`))
    .join('');
  const url = `${protocol}//${host}${pathname}`;
  if (form.size === 0) return query === '' ? url : `${url}?${query}`;
  return `${url}?${query}${query === '' ? '' : '.'}${parameters}`;
}
