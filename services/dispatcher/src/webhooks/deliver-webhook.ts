import type { JobOf } from '@calls/delivery';
import { AppError, type Clock } from '@calls/foundation';
import { signRequest, type OutboundHttp } from '@calls/outbound-http';
import { webhookSecretContext, type SecretBox } from '@calls/secret-box';

const TIMEOUT_MS = 10_000;
/** Of an answer nothing is read but its status. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Any 2xx acknowledges; what else comes of it is thrown, and tried again by the queue. */
export async function deliverWebhook(
  parts: { outbound: OutboundHttp; secretBox: SecretBox; clock: Clock },
  job: JobOf<'deliver_webhook'>,
  signal: AbortSignal,
): Promise<void> {
  const { outbound, secretBox, clock } = parts;
  const context = webhookSecretContext(job.accountId);
  const secrets = job.sealedSecrets.map((sealed) => secretBox.open(sealed, context));
  const { timestamp, signature } = signRequest(job.body, secrets, clock.wallMs());
  const response = await outbound.request({
    method: 'POST',
    url: job.url,
    headers: {
      'Content-Type': 'application/json',
      'X-Svc-Delivery-ID': job.deliveryId,
      'X-Svc-Webhook-Timestamp': timestamp,
      ...(secrets.length > 0 && { 'X-Svc-Webhook-Signature': signature }),
    },
    body: job.body,
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    signal,
  });
  const { status } = response;
  response.close();
  if (status < 200 || status > 299) {
    throw new AppError('webhook_refused', `the webhook answered ${status}`, { retryable: true });
  }
}
