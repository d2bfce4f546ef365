import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signatures, type SignedRequest } from './index.ts';

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
    signatures.telephony1.fits(requestOf(at, { 'x-twilio-signature': signature }, body), secrets, NOW_MS);

  it("fits the provider's published examples", () => {
    expect(fits('GvWf1cFY/Q7PnoempGyD5oXAezc=')).toBe(true);
    const other = { ...call, Caller: '+14158675309', From: '+14158675309' };
    expect(fits('RSOYDt4T1cUTdK1PDd93/VVr8B8=', other)).toBe(true);
  });

  it('fits nothing else', () => {
    expect(fits('')).toBe(false);
    expect(fits('GvWf1cFY/Q7PnoempGyD5oXAezc=', { ...call, Digits: '1235' })).toBe(false);
    expect(fits('GvWf1cFY/Q7PnoempGyD5oXAezc=', call, `${url}&baz=3`)).toBe(false);
  });

  it('takes the URL with its standard port too', () => {
    const data = 'https://mycompany.com:443/a?b=1Digits1';
    const signature = createHmac('sha1', '12345').update(data).digest('base64');
    expect(fits(signature, { Digits: '1' }, 'https://mycompany.com/a?b=1')).toBe(true);
    expect(fits(signature, { Digits: '1' }, 'https://mycompany.com:8443/a?b=1')).toBe(false);
  });

  it('takes other bodies by their hash in the URL', () => {
    const hash = createHash('sha256').update('{"CallSid":"CA1"}').digest('hex');
    const at = `https://mycompany.com/a?bodySHA256=${hash}`;
    const signature = createHmac('sha1', '12345').update(at).digest('base64');
    expect(fits(signature, '{"CallSid":"CA1"}', at)).toBe(true);
    expect(fits(signature, '{"CallSid":"CA2"}', at)).toBe(false);
    const bare = createHmac('sha1', '12345').update('https://mycompany.com/a').digest('base64');
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
    return signatures.telephony2.fits(requestOf('https://example.com/', headers, sent), secrets, NOW_MS);
  };

  it('fits what the key signed, within five minutes', () => {
    const nowS = NOW_MS / 1000;
    expect([fits(nowS), fits(nowS - 300), fits(nowS + 300)]).toEqual([true, true, true]);
    expect([fits(nowS - 301), fits(nowS + 301)]).toEqual([false, false]);
  });

  it('fits nothing else', () => {
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
  const fits = (url: string, body: string | Record<string, string>, signature: string): boolean =>
    signatures.telephony3.fits(
      requestOf(url, { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': nonce }, body),
      secrets,
      NOW_MS,
    );

  it('signs URL, query in order, parameters in order, and nonce', () => {
    const form = { To: '2', From: '+1 3', CallUUID: 'u' };
    expect(fits('https://a.example/x', form, signatureOf('https://a.example/x?CallUUIDuFrom+1 3To2'))).toBe(
      true,
    );
    expect(
      fits(
        'https://a.example/x?b=2&a=1%20z',
        form,
        signatureOf('https://a.example/x?a=1 z&b=2.CallUUIDuFrom+1 3To2'),
      ),
    ).toBe(true);
    expect(fits('https://a.example/x?b=2', {}, signatureOf('https://a.example/x?b=2'))).toBe(true);
    expect(fits('https://a.example/x', {}, signatureOf('https://a.example/x'))).toBe(true);
  });

  it('takes one of several signatures', () => {
    const signature = signatureOf('https://a.example/x');
    expect(fits('https://a.example/x', {}, `bm8=, ${signature}`)).toBe(true);
    expect(fits('https://a.example/x', {}, 'bm8=,')).toBe(false);
  });

  it('fits no changed parameters and no other bodies', () => {
    const signature = signatureOf('https://a.example/x?To2');
    expect(fits('https://a.example/x', { To: '3' }, signature)).toBe(false);
    expect(fits('https://a.example/x', '{}', signatureOf('https://a.example/x'))).toBe(false);
  });
});
