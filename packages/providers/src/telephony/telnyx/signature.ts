import { createPublicKey, verify } from 'node:crypto';
import type { Signature } from '../signature.ts';

/** Older or future requests may be replays. */
const TOLERANCE_MS = 300_000;

const HEADER = 'telnyx-signature-ed25519';

/** Ed25519 over the send time and the body. */
export const telnyxSignature: Signature = {
  headers: [HEADER],
  fits(request, { publicKey = '' }, nowMs) {
    const timestamp = request.header('telnyx-timestamp') ?? '';
    if (!/^\d{1,12}$/u.test(timestamp)) return false;
    if (Math.abs(nowMs - Number(timestamp) * 1000) > TOLERANCE_MS) return false;
    const signed = Buffer.concat([Buffer.from(`${timestamp}|`), request.body]);
    const signature = Buffer.from(request.header(HEADER) ?? '', 'base64');
    return verify(null, signed, ed25519Key(publicKey), signature);
  },
};

function ed25519Key(base64: string): ReturnType<typeof createPublicKey> {
  const x = Buffer.from(base64, 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
