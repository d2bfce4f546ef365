import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { validateV3Signature } from 'plivo/dist/utils/v3Security.js';
import { TelnyxWebhook } from 'telnyx/lib/webhooks';
import twilio from 'twilio';
import type { SignedRequest } from './signature.ts';
import { TELEPHONY_ACCOUNTS } from './telephony-vendors.ts';

/** The vendors' own libraries are the reference for these tests. */
const { getExpectedTwilioSignature, validateRequest, validateRequestWithBody } = twilio;

const NOW_MS = 1_700_000_000_000;

function requestOf(
  url: string,
  headers: Record<string, string>,
  body: string | Record<string, string>,
): SignedRequest {
  const form = typeof body === 'string' ? null : new URLSearchParams(body);
  const text = typeof body === 'string' ? body : new URLSearchParams(body).toString();
  return { url, header: (name) => headers[name], body: Buffer.from(text), form };
}

describe('telephony1', () => {
  const secrets = { authToken: '12345' };
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const call = {
    To: '+18005551212',
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675310',
    Digits: '1234',
    From: '+14158675310',
  };
  const fits = (signature: string, body: string | Record<string, string> = call, at = url): boolean =>
    TELEPHONY_ACCOUNTS.telephony1.signature.fits(
      requestOf(at, { 'x-twilio-signature': signature }, body),
      secrets,
      NOW_MS,
    );

  it('accepts the provider’s published examples', () => {
    expect(getExpectedTwilioSignature('12345', url, call)).toBe('GvWf1cFY/Q7PnoempGyD5oXAezc=');
    expect(fits('GvWf1cFY/Q7PnoempGyD5oXAezc=')).toBe(true);
    const other = { ...call, Caller: '+14158675309', From: '+14158675309' };
    expect(fits('RSOYDt4T1cUTdK1PDd93/VVr8B8=', other)).toBe(true);
  });

  it('rejects an empty signature, changed parameters and a changed URL', () => {
    expect(fits('')).toBe(false);
    expect(fits('GvWf1cFY/Q7PnoempGyD5oXAezc=', { ...call, Digits: '1235' })).toBe(false);
    expect(fits('GvWf1cFY/Q7PnoempGyD5oXAezc=', call, `${url}&baz=3`)).toBe(false);
  });

  const ORIGINS = [
    'https://a.example',
    'https://a.example:443',
    'https://a.example:8443',
    'http://a.example',
    'http://a.example:80',
    'https://[2001:db8::1]',
    'https://[2001:db8::1]:443',
  ];
  const PATHS = ['/x', "/x?b='1'&a=2", '/x?a=%27&c=+d%20', '/x?', '/é?q=ü', '/x?a=1&a=2&b'];

  it.each(ORIGINS)('accepts the same variants of the URL as the vendor’s library: %s', (origin) => {
    const form = { To: '+1', Digits: '1' };
    const spellings = ORIGINS.flatMap((other) => PATHS.map((path) => `${other}${path}`));
    for (const path of PATHS) {
      const at = `${origin}${path}`;
      const signed = spellings.map((url) => getExpectedTwilioSignature('12345', url, form));
      const accepted = signed.map((signature) => validateRequest('12345', signature, at, form));
      expect(signed.map((signature) => fits(signature, form, at))).toEqual(accepted);
      expect(accepted).toContain(true);
    }
  });

  it('accepts a signature without the port for a URL with one, and with the default port for a URL without', () => {
    const sign = (at: string): string => getExpectedTwilioSignature('12345', at, {});
    expect(fits(sign('https://a.example/x'), {}, 'https://a.example:8443/x')).toBe(true);
    expect(fits(sign('https://a.example:443/x'), {}, 'https://a.example/x')).toBe(true);
    expect(fits(sign('https://a.example:8443/x'), {}, 'https://a.example/x')).toBe(false);
    expect(fits(sign('http://a.example/x'), {}, 'https://a.example/x')).toBe(false);
  });

  it('accepts bodies that are not forms by their hash in the URL', () => {
    const hash = createHash('sha256').update('{"CallSid":"CA1"}').digest('hex');
    const at = `https://mycompany.com/a?bodySHA256=${hash}`;
    const signature = getExpectedTwilioSignature('12345', at, {});
    expect(validateRequestWithBody('12345', signature, at, '{"CallSid":"CA1"}')).toBe(true);
    expect(fits(signature, '{"CallSid":"CA1"}', at)).toBe(true);
    expect(fits(signature, '{"CallSid":"CA2"}', at)).toBe(false);
    const bare = getExpectedTwilioSignature('12345', 'https://mycompany.com/a', {});
    expect(fits(bare, '{"CallSid":"CA1"}', 'https://mycompany.com/a')).toBe(false);
  });
});

describe('telephony2', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const secrets = { apiKey: 'KEY', publicKey: Buffer.from(x, 'base64url').toString('base64') };
  const body = 'CallSid=v3%3Aabc&From=%2B13125550001';
  const fits = (signedAtS: number, sent = body, signature?: string): boolean => {
    const signed = sign(null, Buffer.from(`${signedAtS}|${body}`), privateKey).toString('base64');
    const headers = {
      'telnyx-signature-ed25519': signature ?? signed,
      'telnyx-timestamp': String(signedAtS),
    };
    return TELEPHONY_ACCOUNTS.telephony2.signature.fits(
      requestOf('https://example.com/', headers, sent),
      secrets,
      NOW_MS,
    );
  };

  it('accepts a signature by the key for five minutes before and after its timestamp', () => {
    const nowS = NOW_MS / 1000;
    expect([fits(nowS), fits(nowS - 300), fits(nowS + 300)]).toEqual([true, true, true]);
    expect([fits(nowS - 301), fits(nowS + 301)]).toEqual([false, false]);
  });

  it('agrees with the vendor’s library on the signature, its time and the body', async () => {
    const nowS = Math.floor(Date.now() / 1000);
    const verifier = new TelnyxWebhook(secrets.publicKey);
    const verdicts = async (signedAtS: number, sent: string): Promise<[boolean, boolean]> => {
      const signature = sign(null, Buffer.from(`${signedAtS}|${body}`), privateKey).toString('base64');
      const headers = { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': String(signedAtS) };
      const theirs = await verifier.verify(sent, headers).then(
        () => true,
        () => false,
      );
      return [
        TELEPHONY_ACCOUNTS.telephony2.signature.fits(
          requestOf('https://a.example/', headers, sent),
          secrets,
          nowS * 1000,
        ),
        theirs,
      ];
    };
    expect(await verdicts(nowS, body)).toEqual([true, true]);
    expect(await verdicts(nowS - 400, body)).toEqual([false, false]);
    expect(await verdicts(nowS + 400, body)).toEqual([false, false]);
    expect(await verdicts(nowS, `${body}x`)).toEqual([false, false]);
  });

  it('rejects changed bodies and invalid signatures', () => {
    const nowS = NOW_MS / 1000;
    expect(fits(nowS, `${body}&a=b`)).toBe(false);
    expect(fits(nowS, body, '')).toBe(false);
    expect(fits(nowS, body, Buffer.alloc(64, 1).toString('base64'))).toBe(false);
  });
});

describe('telephony3', () => {
  const secrets = { authToken: 'a token' };
  const nonce = '05429567804466091622';
  const signatureOf = (text: string): string =>
    createHmac('sha256', 'a token').update(`${text}.${nonce}`).digest('base64');
  const fits = (
    url: string,
    body: string | Record<string, string>,
    signature: string,
    header = 'x-plivo-signature-v3',
  ): boolean =>
    TELEPHONY_ACCOUNTS.telephony3.signature.fits(
      requestOf(url, { [header]: signature, 'x-plivo-signature-v3-nonce': nonce }, body),
      secrets,
      NOW_MS,
    );

  const SIGNED: readonly [what: string, url: string, form: Record<string, string>, text: string][] = [
    ['a form', 'https://a.example/x', { To: '2', From: '+1 3', C: 'u' }, 'https://a.example/x?CuFrom+1 3To2'],
    [
      'a query and a form',
      'https://a.example/x?b=2&a=1%20z',
      { To: '2' },
      'https://a.example/x?a=1 z&b=2.To2',
    ],
    ['encoded values', 'https://a.example/x?a=%C3%BC+%26', { T: 'ä' }, 'https://a.example/x?a=ü &.Tä'],
    ['a port', 'https://a.example:8443/x', { To: '2' }, 'https://a.example:8443/x?To2'],
    ['the standard port', 'https://a.example:443/x', { To: '2' }, 'https://a.example:443/x?To2'],
    ['neither query nor form', 'https://a.example/x', {}, 'https://a.example/x'],
  ];

  it.each(SIGNED)('accepts the same signatures as the vendor’s library: %s', (_what, url, form, text) => {
    const signature = signatureOf(text);
    expect(validateV3Signature('POST', url, nonce, 'a token', signature, form)).toBe(true);
    expect(fits(url, form, signature)).toBe(true);
  });

  it('agrees with the vendor’s library on any query and form', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 8 });
    const pairs = fc.dictionary(fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme-ascii' }), text, {
      maxKeys: 4,
    });
    fc.assert(
      fc.property(pairs, pairs, (query, form) => {
        const search = new URLSearchParams(query).toString();
        const at = `https://a.example/x${search && '?'}${search}`;
        const ordered = (from: object, mark: string, between: string): string =>
          Object.entries(from)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, value]) => `${name}${mark}${String(value)}`)
            .join(between);
        const sent = ordered(form, '', '');
        const asked = ordered(query, '=', '&');
        const mark = asked || sent ? '?' : '';
        const signature = signatureOf(`https://a.example/x${mark}${asked}${asked && sent && '.'}${sent}`);
        const theirs = validateV3Signature('POST', at, nonce, 'a token', signature, form);
        expect(fits(at, form, signature)).toBe(theirs);
      }),
    );
  });

  it('accepts the signature by the token of the main account, alone or beside that of a subaccount', () => {
    const signature = signatureOf('https://a.example/x?To2');
    expect(fits('https://a.example/x', { To: '2' }, signature, 'x-plivo-signature-ma-v3')).toBe(true);
    const both = {
      'x-plivo-signature-v3': 'b2YgYSBzdWJhY2NvdW50',
      'x-plivo-signature-ma-v3': signature,
      'x-plivo-signature-v3-nonce': nonce,
    };
    const signed = requestOf('https://a.example/x', both, { To: '2' });
    expect(TELEPHONY_ACCOUNTS.telephony3.signature.fits(signed, secrets, NOW_MS)).toBe(true);
    expect(TELEPHONY_ACCOUNTS.telephony3.signature.fits(signed, { authToken: 'another token' }, NOW_MS)).toBe(
      false,
    );
    expect(TELEPHONY_ACCOUNTS.telephony3.signature.headers).toContain('x-plivo-signature-ma-v3');
  });

  it('accepts a signature over repeated query parameters in sorted order', () => {
    const signature = signatureOf('https://a.example/x?a=y&a=z&b=2');
    expect(fits('https://a.example/x?b=2&a=z&a=y', {}, signature)).toBe(true);
  });

  it('accepts a header with several signatures when one of them is valid', () => {
    const signature = signatureOf('https://a.example/x');
    expect(fits('https://a.example/x', {}, `bm8=, ${signature}`)).toBe(true);
    expect(fits('https://a.example/x', {}, 'bm8=,')).toBe(false);
  });

  it('rejects changed parameters and bodies that are not forms', () => {
    const signature = signatureOf('https://a.example/x?To2');
    expect(fits('https://a.example/x', { To: '3' }, signature)).toBe(false);
    expect(fits('https://a.example/x', '{}', signatureOf('https://a.example/x'))).toBe(false);
  });
});
