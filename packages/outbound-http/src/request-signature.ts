import { createHmac } from 'node:crypto';

export interface RequestSignature {
  /** ISO 8601 in UTC with offset. */
  timestamp: string;
  /**
   * HMAC-SHA256 in hexadecimal over `signed` followed by the timestamp; one per secret, in order, separated by commas.
   */
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
