import { createHmac } from 'node:crypto';

export interface RequestSignature {
  /** ISO 8601, UTC with its offset. */
  timestamp: string;
  /** Of `signed` followed by the timestamp: HMAC-SHA256 in hexadecimal, one for each secret in their order, with commas between. */
  signature: string;
}

export function signRequest(signed: string, secrets: readonly string[], wallMs: number): RequestSignature {
  const timestamp = new Date(wallMs).toISOString().replace('Z', '+00:00');
  const hmac = (secret: string): string =>
    createHmac('sha256', secret).update(signed).update(timestamp).digest('hex');
  return { timestamp, signature: secrets.map(hmac).join(',') };
}

/** Signature headers of a request for a call, over the call's id; none without secrets. Created for each request. */
export function callSignatureHeaders(
  callId: string,
  secrets: readonly string[],
  wallMs: number,
): Record<string, string> {
  if (secrets.length === 0) return {};
  const { timestamp, signature } = signRequest(callId, secrets, wallMs);
  return {
    'X-Svc-Call-ID': callId,
    'X-Svc-Signature-Timestamp': timestamp,
    'X-Svc-Signature': signature,
  };
}
