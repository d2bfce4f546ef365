import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export type SignatureVerdict = 'valid' | 'absent' | 'invalid';

/** Older signatures must be rejected. */
const MAX_AGE_MS = 60_000;
const ISO_WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d:\d\d$/u;

/**
 * Checks a signed request as the server of a customer does: signatures of all these secrets, in order, with a recent
 * timestamp.
 */
export function checkCallSignature(
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): SignatureVerdict {
  const [callId, timestamp, signature] = ['call-id', 'signature-timestamp', 'signature'].map(
    (name) => headers[`x-svc-${name}`],
  );
  if (callId === undefined && timestamp === undefined && signature === undefined) return 'absent';
  const at = String(timestamp);
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret)
      .update(`${String(callId)}${at}`)
      .digest('hex'),
  );
  const isFresh = ISO_WITH_OFFSET.test(at) && Math.abs(Date.now() - Date.parse(at)) <= MAX_AGE_MS;
  return isFresh && signature === expected.join(',') ? 'valid' : 'invalid';
}
