import { createHmac } from 'node:crypto';
import { isSame, sortedParameters, type Signature } from '../signature.ts';

/** Signed with the token of the account or subaccount that has the call, and with that of the main account. */
const HEADERS = ['x-plivo-signature-v3', 'x-plivo-signature-ma-v3'];

/** HMAC-SHA256 over the URL, its query in order, the form's parameters in order, and a nonce. */
export const plivoSignature: Signature = {
  headers: HEADERS,
  fits(request, { authToken = '' }) {
    const nonce = request.header('x-plivo-signature-v3-nonce') ?? '';
    if (!request.form || nonce === '') return false;
    const expected = createHmac('sha256', authToken)
      .update(`${signedText(request.url, request.form)}.${nonce}`)
      .digest('base64');
    // While a token is being rotated, a header has one signature per valid token.
    const given = HEADERS.flatMap((header) => (request.header(header) ?? '').split(','));
    return given.map((signature) => isSame(expected, signature.trim())).includes(true);
  },
};

function signedText(text: string, form: URLSearchParams): string {
  const [url = ''] = text.split('?');
  const query = sortedParameters(new URL(text).searchParams)
    .flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
    .join('&');
  const parameters = sortedParameters(form)
    .flatMap(([name, values]) => values.map((value) => `${name}${value}`))
    .join('');
  if (form.size === 0) return query === '' ? url : `${url}?${query}`;
  return `${url}?${query}${query === '' ? '' : '.'}${parameters}`;
}
